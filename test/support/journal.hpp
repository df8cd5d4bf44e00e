// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "promises/judge.hpp"

#include <turnstile/error.hpp>
#include <turnstile/fencing_token.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace turnstile::test {

class lock_user;

/// All that happens to one lock path in this process, as its users tell it, held against what is
/// promised. Belongs to one thread.
class journal {
public:
    struct entry {
        const lock_user* who;
        turnstile::fencing_token token;
    };

    explicit journal(const promises::lock_kind& kind = promises::mutex);
    journal(const journal&) = delete;
    journal& operator=(const journal&) = delete;

    // What a user does and is told.
    promises::acquire_id asks(const lock_user& who);
    void granted(promises::acquire_id which);
    void failed(promises::acquire_id which, const error_code& why);
    void lost(promises::acquire_id which, const error_code& why);
    void downgrades(promises::acquire_id which);
    void upgraded(promises::acquire_id which);
    void releases(promises::acquire_id which, bool awaited);
    void released(promises::acquire_id which, const error_code& result);

    /// What those who hold now go on believing is not their fault: a foreign client has done
    /// something.
    void excuse_holders();
    /// All is over, and everybody could be served.
    void finish() { judge_.finish(); }

    /// Whether these were granted in this order, perhaps among others.
    [[nodiscard]] bool in_order(const std::vector<const lock_user*>& expected) const;
    template <class User>
    [[nodiscard]] bool in_order(const std::vector<User*>& expected) const {
        return in_order(std::vector<const lock_user*>(expected.begin(), expected.end()));
    }
    [[nodiscard]] std::vector<std::string> violations() const { return promises::texts_of(judge_); }
    static inline const std::vector<std::string> no_violations{};

    std::vector<entry> grants; ///< in order
    /// Whether an operation may end with this. All may, unless somebody knows better.
    std::function<bool(const lock_user&, const error_code&)> may_fail;
    /// What is known of a loss. Nothing, unless somebody knows more.
    std::function<promises::loss(const lock_user&, const error_code&)> what_is_known;

private:
    struct asked {
        const lock_user* who;
        std::string name;
    };

    void see(promises::acquire_id which, promises::event what);
    void see_end(promises::acquire_id which, promises::happening what, const error_code& result);
    [[nodiscard]] std::string name_of(promises::acquire_id which) const;

    promises::judge judge_;
    std::vector<asked> asked_; // by number
};

} // namespace turnstile::test
