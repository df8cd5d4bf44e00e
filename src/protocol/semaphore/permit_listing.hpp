// SPDX-License-Identifier: BSL-1.0
// The permits as the first in line sees them.
#pragma once

#include "protocol/semaphore/state_table.hpp"
#include "protocol/session_context.hpp"
#include "protocol/time/instant.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace turnstile::protocol {

class semaphore;

enum class listing_state : std::uint8_t {
    resting,
    listing,
    outdated, // the permits changed, or another ticket came first, since it was asked for
};

inline constexpr std::array listing_states = [] {
    using enum listing_state;
    using entry = state_entry<listing_state>;
    return std::array{
        entry{resting, {resting, listing, outdated}},
        entry{listing, {resting}},
        entry{outdated, {listing, outdated}},
    };
}();

/// One question at a time, with a watch. A node that goes with no session was made by a foreign
/// client: it is no permit, whatever its name. Each permit would cost a question, so they are asked
/// about once in a while, and only where too few are free. Names are never used again, so what is a
/// stray stays one.
class permit_listing {
public:
    permit_listing(semaphore& owner, session_context& shared) : owner_(owner), context_(shared) {}
    ~permit_listing() { forget_watch(); }
    permit_listing(const permit_listing&) = delete;
    permit_listing& operator=(const permit_listing&) = delete;

    /// The owner hears the answer, if a ticket of this session is first then.
    void look();
    /// Reads what is watched again: an event may have been lost.
    void look_again();
    /// How many of those that are listed count. Permits that were tried from the number `bound` on
    /// were made while this session stood first in line: none of them was granted.
    std::int64_t count(const std::vector<std::string>& children, std::int32_t bound) const;

    bool may_look_for_strays() const {
        return context_.options.passes_strays && context_.now() >= strays_due_;
    }
    /// The next search for strays comes a while later.
    void put_strays_off();
    /// Asks for the owner of each, and looks again.
    void look_for_strays(const std::vector<std::string>& children);

    void on_changed();
    void on_disconnected();

private:
    void forget_watch();

    semaphore& owner_;
    session_context& context_;
    tabled_state<listing_states> state_;
    std::set<std::string> strays_; // names
    instant strays_due_{};         // until then they are not looked for again
    bool watched_ = false;
};

} // namespace turnstile::protocol
