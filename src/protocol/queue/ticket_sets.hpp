// SPDX-License-Identifier: BSL-1.0
// Tickets by their numbers: the local ones of a session, and those of a lock path.
#pragma once

#include "protocol/queue/ticket.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>

namespace turnstile::protocol {

inline ticket_id id_of(const ticket& who) { return who.id; }
inline std::int32_t sequence_of(const ticket& who) { return who.name.sequence; }

/// An order of tickets that finds one by its number. A map would keep the number twice for each.
template <class Number, Number (*number_of)(const ticket&)>
struct by_number {
    using is_transparent = void;
    template <class One, class Other>
    bool operator()(const One& one, const Other& other) const {
        return of(one) < of(other);
    }

private:
    static Number of(Number number) { return number; }
    static Number of(const ticket* who) { return number_of(*who); }
    static Number of(const std::unique_ptr<ticket>& who) { return number_of(*who); }
};

/// In the order of arrival: ids grow with each acquire.
using ticket_set = std::set<std::unique_ptr<ticket>, by_number<ticket_id, id_of>>;
/// A ticket's number must not change while it stands here.
using standing_tickets = std::set<ticket*, by_number<std::int32_t, sequence_of>>;

using ticket_table = std::unordered_map<ticket_id, ticket*>;

} // namespace turnstile::protocol
