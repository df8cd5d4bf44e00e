// SPDX-License-Identifier: BSL-1.0
// Lists the permits of a semaphore, to count them and to find those without an owner.
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
    listing,  // a list was asked for
    outdated, // as `listing`, but the list is too old to count: look() was called meanwhile
};

inline constexpr std::array listing_states = [] {
    using enum listing_state;
    using entry = state_entry<listing_state>;
    return std::array{
        // The list has come, or the connection is lost.
        entry{resting, {resting, listing, outdated}},
        entry{listing, {resting}},
        // The permits changed, another acquire is the first now, or a sweep is due.
        entry{outdated, {listing, outdated}},
    };
}();

enum class sweep_state : std::uint8_t {
    resting,
    due,     // the next list is for a sweep
    listing, // the list that was asked for is for a sweep
};

inline constexpr std::array sweep_states = [] {
    using enum sweep_state;
    using entry = state_entry<sweep_state>;
    return std::array{
        // The sweep has ended, or the session is over.
        entry{resting, {resting, due, listing}},
        // The answer to a transaction was lost, the last sweep is due, or the list did not come.
        entry{due, {resting, due, listing}},
        entry{listing, {due}},
    };
}();

/// The semaphore owns this object. One list at a time is asked for. It has one of two uses:
/// - An acquire of this session is the first in the queue. It counts the permits: the semaphore's
///   on_permits() gets the list. The list also sets a watch.
/// - A sweep looks for permits of this session that have no owner: the semaphore's on_swept() gets
///   them.
///
/// The name of a permit shows the session and the attempt that made it. The owner is an attempt
/// whose answer is awaited, or a holder. A permit that was taken with the end of a ticket belongs
/// to the acquire in the queue that made the attempt: only the first could take it. A transaction
/// that was held back on its way may be carried out late. So the last sweep comes a while after the
/// last lost answer.
///
/// Another program may have made nodes with the names of permits. Those are strays: they belong to
/// no session, and are no permits. Each node costs a question, so strays are looked for once in a
/// while, and only if too few permits are free. Names are never used again, so a stray stays one.
class permit_listing {
public:
    using permits_by_taker = std::map<ticket_id, std::vector<std::string>>; // paths

    permit_listing(semaphore& owner, session_context& shared)
        : owner_(owner), context_(shared), last_sweep_(shared.clock) {}
    ~permit_listing() { forget_watch(); }
    permit_listing(const permit_listing&) = delete;
    permit_listing& operator=(const permit_listing&) = delete;

    /// Asks for a list, if a sweep is due or an acquire of this session is the first in the queue.
    void look();
    /// Asks for a list again if a watch is set: an event may have been lost.
    void look_again();
    /// The answer to a transaction of permits was lost: a sweep is due.
    void on_lost_answer();
    bool is_sweeping() const { return sweep_ == sweep_state::listing; }
    bool is_resting() const { return sweep_ == sweep_state::resting && !last_sweep_.pending(); }

    /// How many of the listed permits count. Permits that were tried, from the number `bound` on,
    /// do not: they were made while the acquire stood first in the queue, and were not granted
    /// (S3).
    std::int64_t count(const std::vector<std::string>& children, std::int32_t bound) const;

    bool may_look_for_strays() const { return context_.now() >= strays_due_; }
    /// The next search for strays comes a while later.
    void put_strays_off();
    /// Asks for the session of each of these nodes, and then for a list again.
    void look_for_strays(const std::vector<std::string>& children);

    /// The watch has fired.
    void on_changed();
    void on_disconnected();
    /// The session ends: no sweep is due any more.
    void stop();

private:
    /// The list has come: sweeps, asks again, or hands it to the first in the queue.
    void on_listed(const reply& answer);
    /// Finds permits without an owner. If the server refused the list, the sweep stays due.
    void sweep(const reply& answer);
    void forget_watch();

    semaphore& owner_;
    session_context& context_;
    tabled_state<listing_states> state_;
    tabled_state<sweep_states> sweep_;
    timer last_sweep_;             // makes the last sweep due
    std::set<std::string> strays_; // their names
    instant strays_due_{};         // strays are not looked for until then
    bool swept_late_ = false;      // the last sweep was made due since the last lost answer
    bool watched_ = false;         // the watch on the permits is set
};

} // namespace turnstile::protocol
