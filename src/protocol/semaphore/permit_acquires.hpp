// SPDX-License-Identifier: BSL-1.0
// The acquires of a session for permits of one semaphore that are not granted yet.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/hold.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/names/semaphore_names.hpp"
#include "protocol/state_table.hpp"
#include "protocol/time/timers.hpp"
#include "protocol/wire/budget.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::protocol {

/// The steps of the transaction that makes permits. It takes free permits, or it takes permits for
/// the first in the queue and deletes its ticket.
enum permit_step : std::size_t {
    check_limit,
    set_queue,   // shows how many stand in the queue
    set_permits, // shows how many permits there are
    first_permit,
    set_ticket = set_queue, // wakes the next in the queue
    remove_ticket = set_permits,
};

enum class permit_phase : std::uint8_t {
    starting,   // waits for the limit, or for acquires of this session before it
    trying,     // the transaction that takes free permits was sent
    in_line,    // its ticket is to stand in the queue
    first,      // no ticket stands before its own
    taking,     // the transaction that takes permits with the end of its ticket was sent
    unresolved, // the answer to that transaction was lost
    confirming, // the permits are there; the session's lease is still to be proved
};

/// An acquire can end in each phase. It is granted in `confirming`.
inline constexpr std::array permit_phases = [] {
    using enum permit_phase;
    using entry = state_entry<permit_phase>;
    return std::array{
        // The try was refused, the queue was made anew, the permits are gone, or the session is.
        entry{starting, {starting, trying, in_line, first, taking, unresolved, confirming}},
        // The limit is known, and nothing of this session stands in the queue.
        entry{trying, {starting}},
        // Too few were free. Later: its place, or the connection, was lost.
        entry{in_line, {starting, in_line, first, taking, unresolved}},
        // The queue says so, or the server refused the transaction.
        entry{first, {in_line, first, taking, unresolved}},
        // It has counted, and enough are free.
        entry{taking, {first}},
        entry{unresolved, {taking}},
        // A transaction made them, or a sweep found them.
        entry{confirming, {trying, in_line, first, taking, unresolved, confirming}},
    };
}();

/// One acquire of permits, from its start to its grant.
struct permit_acquire {
    permit_acquire(ticket_id the_id, const acquire_request& what, session_context& shared)
        : id(the_id), wish(what), deadline(shared.clock), lock(std::make_unique<hold>(shared)) {
        if (what.max_hold)
            lock->limit_to(*what.max_hold);
    }

    bool stands_in_line() const {
        return phase >= permit_phase::in_line && phase <= permit_phase::unresolved;
    }
    /// The last steps of a transaction have made its permits. Returns the highest of their numbers.
    std::int32_t keep(const reply& answer, std::int64_t of_permits, std::uint64_t connection);
    /// Why the transaction was refused. None: the limit is not the one that was read.
    failure refusal(const reply& answer) const;
    /// Whether the answer to a transaction is awaited.
    bool is_open() const { return phase == permit_phase::trying || phase == permit_phase::taking; }

    const ticket_id id;
    const acquire_request wish;
    request_mark mark{};
    instant started{};
    std::uint64_t questions = 0; // how often the limit was read for sure before this acquire
    timer deadline;
    std::unique_ptr<hold> lock; // held_permits takes it over at the grant
    tabled_state<permit_phases> phase{};
    bool asks_for_key = false;     // it asks for the key, and takes no permit
    bool looks_for_strays = false; // it may not wait, and stands in line to find strays (S3)
    bool abandoned = false;        // the caller is gone, but permits may yet appear
    ticket_id place = 0;           // its ticket in the queue
    std::uint64_t attempt = 0;
    std::set<std::uint64_t> unknown_takes{}; // attempts that may have taken permits
    std::optional<std::int32_t> bound{};     // permits tried from here on were not granted
    std::vector<std::string> permits{};      // their paths
    std::int64_t czxid = 0;     // of the permits; 0: a sweep found them, and it is not read yet
    std::uint64_t shown_on = 0; // the number of the connection that has shown them
    claim bytes{};
    std::size_t tries = 0; // starts in a row that came to nothing
};

/// The acquires in the order of their arrival. At most one of them is the first in the queue.
/// (Rules: docs/internals/protocol/semaphore.md)
class permit_acquires {
public:
    using phases = std::initializer_list<permit_phase>;

    bool empty() const { return all_.empty(); }
    permit_acquire* find(ticket_id id) const;
    permit_acquire* at(ticket_id place) const;
    permit_acquire* front() const { return after(0); }
    permit_acquire* after(ticket_id id) const;
    std::vector<ticket_id> in(phases which) const;
    bool any_stand_in_line() const;
    /// The acquire that is in line, with no ticket before its own.
    permit_acquire* first() const;
    /// The acquire that makes the semaphore: the first that states a limit.
    permit_acquire* maker() const;
    /// The acquire in line that made this attempt, whose answer was lost.
    permit_acquire* taker_in(std::uint64_t attempt) const;
    /// Whether a permit is of an attempt whose answer is awaited, or of one that is confirmed.
    bool own(const permit_name& name, const std::string& node) const;

    void add(std::unique_ptr<permit_acquire> who);
    std::unique_ptr<permit_acquire> extract(permit_acquire& who);
    void put_in_line(permit_acquire& who, ticket_id place);
    ticket_id take_out_of_line(permit_acquire& who);

private:
    template <class Condition>
    permit_acquire* find_if(Condition is_it) const;

    std::map<ticket_id, std::unique_ptr<permit_acquire>> all_;
    std::unordered_map<ticket_id, ticket_id> places_; // whose a ticket in the queue is
};

} // namespace turnstile::protocol
