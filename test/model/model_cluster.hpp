// SPDX-License-Identifier: BSL-1.0
// What the servers of a modelled ensemble share: time, random numbers, and their links.
#pragma once

#include "event_queue.hpp"

#include "protocol/time/instant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <utility>

namespace turnstile::test {

/// The settings of a modelled ensemble: its times, and what its servers do unlike others.
struct model_limits {
    protocol::duration timeout{};  // of every session
    protocol::duration tick{};     // the leader pings each half of it
    protocol::duration lateness{}; // a ping is late by at most so much
    int sync_limit = 5;            // leader and follower part after so many ticks of silence
    protocol::duration latency{};  // the longest, between two servers
    protocol::duration client_latency = std::chrono::milliseconds{15}; // the longest, to a client
    bool notices_at_once = false;      // a follower leaves its leader as soon as their link breaks,
                                       // as after a reset
    bool expires_silently = false;     // a client that names an ended session gets a new one
    bool loses_events = false;         // one watch event of eight is never told
    bool keeps_deletions_back = false; // where clients watch a node's data, those that watch its
                                       // children are not told of its deletion
    bool exists_needs_read = false;    // `exists` needs READ, as from ZooKeeper 3.9.3 on
};

/// The directed links between the servers of one ensemble, and all that these draw at random.
/// Messages of a link arrive in order. A broken link keeps its messages, and they arrive once it is
/// whole again, as with TCP. model_ensemble owns it.
class model_cluster {
public:
    using action = std::function<void()>;

    model_cluster(event_queue& queue, std::mt19937_64& random, const model_limits& numbers)
        : limits(numbers), events(queue), random_(random) {}

    protocol::instant now() const { return events.now(); }
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    protocol::duration up_to(protocol::duration longest) {
        return protocol::duration{static_cast<protocol::duration::rep>(
            below(static_cast<std::uint64_t>(longest.count()) + 1))};
    }

    /// Sends a message. `arrives` is what the receiver does with it.
    void send(std::size_t from, std::size_t to, action arrives);
    void break_link(std::size_t from, std::size_t to) { links_[{from, to}].broken = true; }
    /// Makes a link whole and quick again.
    void mend_link(std::size_t from, std::size_t to);
    /// Delays all that is sent over a link: the receiver lags.
    void slow_link(std::size_t from, std::size_t to, protocol::duration by) {
        links_[{from, to}].delay = by;
    }
    /// Whether both directions are whole.
    bool whole(std::size_t one, std::size_t other) const {
        return !is_broken(one, other) && !is_broken(other, one);
    }

    const model_limits limits;
    event_queue& events;

private:
    struct directed_link {
        bool broken = false;
        protocol::duration delay{};                // beside the random latency
        protocol::instant last_arrival{};          // of the message that was sent last
        std::uint64_t sent = 0;                    // messages so far: the number of the last one
        std::uint64_t due = 0;                     // the last message whose time has come
        std::map<std::uint64_t, action> under_way; // by number: what has not arrived yet
    };

    /// Has all messages arrive whose time has come, unless the link is broken.
    static void deliver(directed_link& link);

    bool is_broken(std::size_t from, std::size_t to) const {
        const auto link = links_.find({from, to});
        return link != links_.end() && link->second.broken;
    }

    std::mt19937_64& random_;
    std::map<std::pair<std::size_t, std::size_t>, directed_link> links_; // by sender and receiver
};

} // namespace turnstile::test
