// SPDX-License-Identifier: BSL-1.0
// Times in which a worker may believe what is no longer so.
#pragma once

#include "checker.hpp"
#include "ticket_book.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::check {

class excuses {
public:
    excuses(const history& told, const ticket_book& book, const check_options& how);

    /// Of one granted acquire, sorted and disjoint.
    [[nodiscard]] std::vector<interval> of(const acquire& a) const;

    /// Whether any of them touches the span.
    [[nodiscard]] bool touch(const acquire& a, interval span) const;

    /// Whether somebody else than the worker's own process is to blame.
    [[nodiscard]] bool by_outside_hand(const acquire& a, instant t) const;

    /// When the worker ceased to believe that it holds the lock.
    [[nodiscard]] instant end_of_belief(const acquire& a) const;

private:
    [[nodiscard]] std::vector<interval> outside(const acquire& a) const;
    [[nodiscard]] interval around(const outside_act& act, const acquire& a) const;
    [[nodiscard]] instant told_gone(const ticket& its, const acquire& a) const;
    [[nodiscard]] instant end_of_lease(const ticket& its, const acquire& a) const;
    [[nodiscard]] bool hears_before_grant(const ticket& its) const;

    const history* told_;
    const ticket_book* book_;
    check_options how_;
    std::unordered_map<std::string, std::vector<outside_act>> deleted_;
    std::unordered_map<std::int64_t, std::vector<outside_act>> ended_;
    std::map<std::pair<std::string, std::int64_t>, std::vector<instant>> gone_; // told to a session
    std::set<std::pair<std::string, std::int64_t>> unheard_; // by a session, of a node
    std::unordered_map<std::int64_t, interval> last_;        // connection of a session
};

} // namespace turnstile::check
