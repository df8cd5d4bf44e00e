// SPDX-License-Identifier: BSL-1.0
// The listing of all permits: the first in line counts them, and a sweep finds those without an
// owner.
#pragma once

#include "protocol/session_context.hpp"
#include "protocol/state_table.hpp"
#include "protocol/time/instant.hpp"

#include <array>
#include <cstdint>
#include <map>
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
        entry{resting, {resting, listing, outdated}}, // answered, or the connection is lost
        entry{listing, {resting}},
        entry{outdated, {listing, outdated}},
    };
}();

enum class sweep_state : std::uint8_t {
    resting,
    due,     // the next list sweeps
    listing, // the list that was asked for sweeps
};

inline constexpr std::array sweep_states = [] {
    using enum sweep_state;
    using entry = state_entry<sweep_state>;
    return std::array{
        entry{resting, {resting, due, listing}}, // swept, or the session is over
        entry{due, {resting, due, listing}},     // an answer was lost, or the listing's own
        entry{listing, {due}},
    };
}();

/// Lists the permits: one list at a time, with a watch while an acquire is the first in line. The
/// semaphore owns this object, which calls its on_permits() and on_swept().
///
/// The name of a permit shows the session and the attempt that made it. So one listing shows which
/// permits of this session have no owner: no attempt whose answer is awaited, and no holder. A
/// permit that was taken in line belongs to its acquire while that waits: only the first could take
/// it. A transaction that was held back on its way may be carried out late, so the last sweep comes
/// a while after the last lost answer.
///
/// A node that goes with no session was made by another program: it is no permit, whatever its
/// name. Each permit would cost a question, so they are asked about once in a while, and only if
/// too few are free. Names are never used again, so a stray stays one.
class permit_listing {
public:
    using permits_by_taker = std::map<ticket_id, std::vector<std::string>>; // paths

    permit_listing(semaphore& owner, session_context& shared)
        : owner_(owner), context_(shared), last_sweep_(shared.clock) {}
    ~permit_listing() { forget_watch(); }
    permit_listing(const permit_listing&) = delete;
    permit_listing& operator=(const permit_listing&) = delete;

    /// Lists the permits, if a sweep is due or an acquire of this session is the first in line.
    void look();
    /// Lists again if a watch is set: an event may have been lost.
    void look_again();
    /// An answer was lost: a sweep is due.
    void on_lost_answer();
    bool is_sweeping() const { return sweep_ == sweep_state::listing; }
    bool is_resting() const { return sweep_ == sweep_state::resting && !last_sweep_.pending(); }

    /// How many of the listed permits count. Permits that were tried from the number `bound` on
    /// were made while this session stood first in line: none of them was granted.
    std::int64_t count(const std::vector<std::string>& children, std::int32_t bound) const;

    /// What goes with no session is no permit, nor a ticket.
    bool may_look_for_strays() const { return context_.now() >= strays_due_; }
    /// The next search for strays comes a while later.
    void put_strays_off();
    /// Asks for the owner of each of these nodes, and then lists again.
    void look_for_strays(const std::vector<std::string>& children);

    void on_changed();
    void on_disconnected();
    void stop();

private:
    void on_listed(const reply& answer);
    void sweep(const reply& answer);
    void forget_watch();

    semaphore& owner_;
    session_context& context_;
    tabled_state<listing_states> state_;
    tabled_state<sweep_states> sweep_;
    timer last_sweep_;
    std::set<std::string> strays_; // the names of nodes that go with no session
    instant strays_due_{};         // strays are not looked for until then
    bool swept_late_ = false;      // the last sweep came after all that could come late
    bool watched_ = false;         // the watch on the permits is set
};

} // namespace turnstile::protocol
