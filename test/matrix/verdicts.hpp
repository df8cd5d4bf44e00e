// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "fixture.hpp"
#include "support/pch.hpp"

namespace turnstile::matrix {

/// Holds what happened on a fixture against the invariants.
class verdicts {
public:
    explicit verdicts(fixture& s) : s_{s} {}

    void add(std::string text) { all_.push_back(std::move(text)); }
    /// Also what is promised, and was not kept.
    [[nodiscard]] std::vector<std::string> all() const;

    void before_fault(); ///< notes what the rest is compared with
    void after_steering();
    void after_service();
    void after_second_round();
    void before_end(); ///< while the sessions live
    void at_end();     ///< when they are closed

private:
    static std::string text_of(const error_code& code);
    void expect(bool good, std::string_view what);
    void check_ticket();
    void check_downgrade();
    void check_upgrade();
    void check_node_of_upgrade(bool succeeded);
    void check_results();
    void check_results_of(const participant& who, std::string_view name);
    [[nodiscard]] error_code expected_of(const participant& who) const;
    [[nodiscard]] bool expires() const { return s_.what.after == recovery::session_end; }
    [[nodiscard]] bool excludes_last() const;
    [[nodiscard]] bool keeps_order() const;
    [[nodiscard]] bool comes_last() const;

    fixture& s_;
    std::int64_t id_before_ = 0; // of the unlucky session
    bool second_round_ = false;  // the unlucky one has acquired again
    std::vector<std::int64_t> ids_;
    std::vector<std::string> all_;
};

} // namespace turnstile::matrix
