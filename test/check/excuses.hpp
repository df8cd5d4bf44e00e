// Times in which a worker may believe what is no longer so.
#pragma once

#include "checker.hpp"
#include "ticket_book.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::check {

class excuses {
public:
    excuses(const history& told, const ticket_book& book, const check_options& how);

    /// Of one granted acquire, sorted and disjoint.
    [[nodiscard]] std::vector<interval> of(const acquire& a) const;

    /// Whether any of them covers the instant, or touches the span.
    [[nodiscard]] bool cover(const acquire& a, instant t) const { return touch(a, {t, t}); }
    [[nodiscard]] bool touch(const acquire& a, interval span) const;

    /// Whether somebody else than the worker's own process is to blame.
    [[nodiscard]] bool by_outside_hand(const acquire& a, instant t) const;

    /// When the worker ceased to believe that it holds the lock.
    [[nodiscard]] instant end_of_belief(const acquire& a) const;

private:
    [[nodiscard]] std::vector<interval> outside(const acquire& a) const;
    [[nodiscard]] interval around(instant act, const acquire& a) const;

    const history* told_;
    const ticket_book* book_;
    instant grace_;
    std::unordered_map<std::string, std::vector<instant>> deleted_;
    std::unordered_map<std::int64_t, std::vector<instant>> ended_;
};

} // namespace turnstile::check
