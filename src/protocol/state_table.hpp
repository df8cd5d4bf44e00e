// SPDX-License-Identifier: BSL-1.0
// A state that changes by a table alone.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace turnstile::protocol {

/// A row of a table of states: the states from which one is entered.
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
    std::uint32_t bits = 0;
};

template <const auto& table>
class tabled_state {
public:
    using state = decltype(table.front().to);

    constexpr operator state() const { return now_; }
    void enter(state next) {
        assert(table.at(static_cast<std::size_t>(next)).is_entered_from(now_));
        now_ = next;
    }

private:
    static constexpr bool is_in_order() {
        return std::ranges::all_of(table, [](const auto& each) {
            return &each - table.data() == static_cast<std::ptrdiff_t>(each.to);
        });
    }
    static_assert(is_in_order(), "a state is its own place in the table");

    state now_{};
};

} // namespace turnstile::protocol
