// SPDX-License-Identifier: BSL-1.0
// The acquires of a session for permits of one semaphore that are not granted yet.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/names/semaphore_names.hpp"
#include "protocol/state_table.hpp"
#include "protocol/time/timers.hpp"
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

enum class permit_phase : std::uint8_t {
    starting,   // waits for the limit, or for acquires of this session before it
    trying,     // the transaction that takes free permits was sent
    in_line,    // its ticket is to stand in the queue
    first,      // no ticket stands before its own
    taking,     // the transaction that takes permits with the end of its ticket was sent
    unresolved, // and its answer was lost
    confirming, // the permits are there; the session's lease is still to be proved
};

/// An acquire can end in each of them. It is granted in `confirming`.
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

struct permit_acquire {
    permit_acquire(ticket_id the_id, const acquire_request& what, timers& clock)
        : id(the_id), wish(what), deadline(clock) {}

    bool stands_in_line() const {
        return now >= permit_phase::in_line && now <= permit_phase::unresolved;
    }
    /// The last steps of a transaction have made its permits. Returns the highest of their numbers.
    std::int32_t keep(const reply& answer, std::int64_t of_permits, std::uint64_t connection);
    /// Why the transaction was refused: it checks the limit, sets a node, sets another or deletes
    /// the ticket, and creates permits. None: the limit is not the one that was read.
    failure refusal(const reply& answer) const;
    /// The answer to a transaction is awaited.
    bool is_open() const { return now == permit_phase::trying || now == permit_phase::taking; }

    const ticket_id id;
    const acquire_request wish;
    request_mark mark{};
    instant started{};
    std::uint64_t questions = 0; // for the limit, asked before it came
    timer deadline;
    tabled_state<permit_phases> now{};
    bool only_looked = false;      // it wants to know the key, and no permit
    bool looks_for_strays = false; // it may not wait, and others seem to be there
    bool abandoned = false;        // the caller is gone; permits may yet appear
    bool in_reserve = false;       // its bytes are of those kept for permits that are free
    ticket_id place = 0;           // its ticket in the queue
    std::uint64_t attempt = 0;
    std::set<std::uint64_t> unknown_takes{}; // attempts that may have taken permits
    std::optional<std::int32_t> bound{};     // permits tried from here on were not granted
    std::vector<std::string> permits{};      // their paths
    std::int64_t czxid = 0;     // of the permits; 0: they were found, and it is to be read
    std::uint64_t shown_on = 0; // the number of the connection that has shown them
    std::size_t paid = 0;       // bytes taken from the budget
    std::size_t tries = 0;      // since something was there last
};

/// In order of arrival. One of them is first in the queue at most.
class permit_acquires {
public:
    using phases = std::initializer_list<permit_phase>;

    bool empty() const { return all_.empty(); }
    permit_acquire* find(ticket_id id) const;
    permit_acquire* at(ticket_id place) const;
    permit_acquire* front() const { return after(0); }
    permit_acquire* after(ticket_id id) const;
    std::vector<ticket_id> in(phases which) const;
    bool stand_in_line() const;
    /// In line, and no ticket stands before its own.
    permit_acquire* first() const;
    /// That makes the semaphore: it states a limit.
    permit_acquire* maker() const;
    /// In line, and one of its attempts with a lost answer has this number.
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
