// SPDX-License-Identifier: BSL-1.0
// Reads, watches and makes the node that says how many permits a semaphore has.
#pragma once

#include "protocol/queue/lock_directory.hpp"
#include "protocol/semaphore/semaphore_change.hpp"
#include "protocol/state_table.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/message.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace turnstile::protocol {

class semaphore;
struct permit_acquire;

/// The limit as one read has shown it. The three nodes of a semaphore are made in one transaction,
/// so they have one czxid, which is its incarnation.
struct permit_limit {
    /// Why an acquire may not go on with this limit, or `none`.
    failure refusal_of(const permit_acquire& who) const;

    std::uint32_t permits = 0;
    std::int32_t version = 0;
    std::int64_t incarnation = 0;
    std::int64_t ctime = 0;
    std::uint64_t question = 0; // the read for sure that showed it; 0: it may be old
};

enum class limit_state : std::uint8_t {
    resting,  // nothing is asked; the limit may be known or not
    reading,  // a read was sent
    making,   // the lock path or the three nodes are made
    doubting, // another of the three nodes is missing: the limit is read again a while later
};

inline constexpr std::array limit_states = [] {
    using enum limit_state;
    using entry = state_entry<limit_state>;
    return std::array{
        // The answer has come, or the connection is lost.
        entry{resting, {resting, reading, making, doubting}},
        entry{reading, {resting}},
        // A read has shown that the node is missing, or its numbers are to start again.
        entry{making, {resting}},
        // Another program may be deleting one part after the other.
        entry{doubting, {resting}},
    };
}();

/// The semaphore owns it, asks it to read, and gets the answers: on_limit() and on_no_limit(). Its
/// state says what it asks (limit_state). The limit is remembered for one connection.
///
/// The limit is the data of a node below the lock path, and not that of the path itself: a mutex
/// that is used on the path by mistake sets the path's data.
class limit_node {
public:
    limit_node(semaphore& owner, session_context& shared);
    ~limit_node() { forget_watch(); }
    limit_node(const limit_node&) = delete;
    limit_node& operator=(const limit_node&) = delete;

    const std::optional<permit_limit>& known() const { return known_; }
    void forget() { known_.reset(); }
    bool is_resting() const { return state_ == limit_state::resting; }
    /// How many reads for sure were begun. The number of each is its question.
    std::uint64_t questions() const { return questions_; }

    /// Reads the limit, which may be old.
    void read() { ask(0); }
    /// Reads the limit after a transaction: a server that lags behind the others could read an old
    /// one. Once it has answered the transaction it reads none that is older.
    void read_for_sure();
    /// Reads it with a watch, unless it is watched already.
    void watch();
    /// Reads the watched node again: an event may have been lost.
    void read_again();
    /// Another of the three nodes is missing. If the same limit is read a while later, all acquires
    /// that wait fail: what is there is no semaphore.
    void doubt();
    /// Ends the doubt: the limit may be read again.
    void end_doubt();
    /// Makes the three nodes, with the limit that the first acquire states.
    void make();
    /// Makes the three nodes anew with the same limit, so that the numbers of tickets and permits
    /// start again. Does nothing if there are tickets or permits.
    void restart_numbers();

    /// The watch has fired.
    void on_changed();
    void on_disconnected();

private:
    /// Reads the limit. `question`: the number of a read for sure, else 0.
    void ask(std::uint64_t question);
    void on_read(const reply& answer, std::uint64_t question);
    /// The lock path was made for make(), or could not be.
    void on_path(failure why, zookeeper_code code);
    /// Sends the next request of `making_`, or goes on after its end.
    void go_on_making();
    void rest() { state_.enter(limit_state::resting); }
    void forget_watch();

    semaphore& owner_;
    session_context& context_;
    lock_directory directory_;
    tabled_state<limit_states> state_;
    std::optional<semaphore_change> making_; // the change that make() carries out
    std::optional<permit_limit> known_;
    std::optional<std::int64_t> doubted_; // the incarnation that lacks a part; 0: it is unknown
    std::uint64_t questions_ = 0;
    instant numbers_rest_{}; // restart_numbers() does nothing until then
    bool watched_ = false;   // the watch on the node is set
    bool caught_up_ = false; // the server has answered the transaction of the last read for sure
};

} // namespace turnstile::protocol
