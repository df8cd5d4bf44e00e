// SPDX-License-Identifier: BSL-1.0
// The node that says how many permits there are: read, watched and made.
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

/// One read tells all of it: the three nodes are made in one transaction, so they have one czxid.
struct permit_limit {
    /// Why an acquire may not go on with it.
    failure refusal_of(const permit_acquire& who) const;

    std::uint32_t permits = 0;
    std::int32_t version = 0;
    std::int64_t incarnation = 0;
    std::int64_t ctime = 0;
    std::uint64_t question = 0; // whose answer it is; 0: it may be old
};

enum class limit_state : std::uint8_t {
    resting, // known or not, nothing is asked
    reading,
    making,   // the lock path, or the three nodes
    doubting, // another part is missing: it rests, and is read again
};

inline constexpr std::array limit_states = [] {
    using enum limit_state;
    using entry = state_entry<limit_state>;
    return std::array{
        // Answered, or the connection is lost.
        entry{resting, {resting, reading, making, doubting}},
        entry{reading, {resting}},
        // A read has shown that it is missing, or its numbers are to start again.
        entry{making, {resting}},
        // A foreign client may be deleting one part after the other.
        entry{doubting, {resting}},
    };
}();

/// It is the data of a node of its own below the lock path: a mutex that is used on that path by
/// mistake sets the path's own data. It is remembered for one connection.
class limit_node {
public:
    limit_node(semaphore& owner, session_context& shared);
    ~limit_node() { forget_watch(); }
    limit_node(const limit_node&) = delete;
    limit_node& operator=(const limit_node&) = delete;

    const std::optional<permit_limit>& known() const { return known_; }
    void forget() { known_.reset(); }
    bool is_resting() const { return state_ == limit_state::resting; }
    /// How often it was read for sure.
    std::uint64_t questions() const { return questions_; }

    /// The owner hears the answer.
    void read() { ask(0); }
    /// A server may lag behind the others, and read an old limit. Once it has answered a
    /// transaction of this connection it reads none that is older.
    void read_for_sure();
    /// Reads it with a watch, unless it is watched already.
    void watch();
    /// Reads what is watched again: an event may have been lost.
    void read_again();
    /// Another part is missing. Where the same limit is read a while later, all that wait fail.
    void doubt();
    void go_on(); // a while later
    /// It is missing: makes the three nodes, with the limit that is stated then.
    void make();
    /// Makes them anew with the same limit, so that the numbers of tickets and permits start again.
    /// Fails where others are there.
    void restart_numbers();

    void on_changed();
    void on_disconnected();

private:
    void ask(std::uint64_t question);
    void on_read(const reply& answer, std::uint64_t question);
    void on_path(failure why, zookeeper_code code);
    void go_on_making();
    void rest() { state_.enter(limit_state::resting); }
    void forget_watch();

    semaphore& owner_;
    session_context& context_;
    lock_directory directory_;
    tabled_state<limit_states> state_;
    std::optional<semaphore_change> making_;
    std::optional<permit_limit> known_;
    std::optional<std::int64_t> doubted_; // the incarnation that lacks a part; 0: the limit
    std::uint64_t questions_ = 0;
    instant numbers_rest_{}; // until then they are not tried to be started again
    bool watched_ = false;
    bool caught_up_ = false; // the server reads no limit older than the question
};

} // namespace turnstile::protocol
