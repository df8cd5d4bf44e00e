// SPDX-License-Identifier: BSL-1.0
// A state that changes only as its table allows.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace turnstile::protocol {

/// A row of a table of states: the states from which the state `to` is entered.
template <class State>
struct state_entry {
    constexpr state_entry(State entered, std::initializer_list<State> from) : to(entered) {
        for (const auto each : from)
            bits |= 1U << static_cast<unsigned>(each);
    }
    constexpr bool is_entered_from(State which) const {
        return (bits >> static_cast<unsigned>(which) & 1U) != 0;
    }

    State to;
    std::uint32_t bits = 0; // a bit for each of those states, by its number
};

/// The state of an object, for example of a ticket (ticket_phases) or a deletion (deletion_states).
/// `table` has one row for each state, in the order of the enumeration. A change that is not in the
/// table fails an assertion.
template <const auto& table>
class tabled_state {
public:
    using state = decltype(table.front().to);

    constexpr operator state() const { return current_; }
    void enter(state next) {
        assert(table.at(static_cast<std::size_t>(next)).is_entered_from(current_));
        current_ = next;
    }

private:
    static constexpr bool is_in_order() {
        return std::ranges::all_of(table, [](const auto& each) {
            return &each - table.data() == static_cast<std::ptrdiff_t>(each.to);
        });
    }
    static_assert(is_in_order(), "the row of a state stands at the number of the state");

    state current_{};
};

} // namespace turnstile::protocol
