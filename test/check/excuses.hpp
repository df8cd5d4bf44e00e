// SPDX-License-Identifier: BSL-1.0
// Times in which a worker's wrong belief is excused.
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

/// Computes them from the history: pauses of the worker's process, and tickets or sessions that
/// another program ended, until the worker can have known.
class excuses {
public:
    excuses(const history& told, const ticket_book& book, const check_options& how);

    /// The excused times of a granted acquire, sorted and disjoint.
    [[nodiscard]] std::vector<interval> of(const acquire& a) const;

    /// Whether any excused time touches the span.
    [[nodiscard]] bool touch(const acquire& a, interval span) const;

    /// Whether another program excuses the belief at this instant, and not a pause of the process.
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
    std::map<std::pair<std::string, std::int64_t>, std::vector<instant>>
        gone_;                                               // by node and session: when told
    std::set<std::pair<std::string, std::int64_t>> unheard_; // news that was lost
    std::unordered_map<std::int64_t, interval> last_;        // by session: its last connection
};

} // namespace turnstile::check
