// SPDX-License-Identifier: BSL-1.0
// What the servers of a modelled ensemble share: time, chance, the links between them.
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

/// Numbers of the modelled servers.
struct model_limits {
    protocol::duration timeout{};  // of every session
    protocol::duration tick{};     // the leader pings each half of it
    protocol::duration lateness{}; // so much later than that at most
    int sync_limit = 5;            // ticks without a word after which leader and follower part
    protocol::duration latency{};  // longest, between two servers
    protocol::duration client_latency = std::chrono::milliseconds{15}; // longest, to a client
    bool notices_at_once = false;      // followers leave a leader that they do not hear as soon as
                                       // the link breaks, as after a reset
    bool expires_silently = false;     // who comes with an ended session is given another at once
    bool loses_events = false;         // one watch event of eight is never told
    bool keeps_deletions_back = false; // from who watches children, where others watch the data
    bool exists_needs_read = false;    // as from ZooKeeper 3.9.3 on; older ones tell anybody
};

/// Directed links, each in order. What is sent over a broken link is kept and arrives once the
/// link is whole again, as TCP has it.
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

    void send(std::size_t from, std::size_t to, action arrives);
    void break_link(std::size_t from, std::size_t to) { links_[{from, to}].broken = true; }
    void mend_link(std::size_t from, std::size_t to);
    /// More delay on a link, as of a follower that lags.
    void slow_link(std::size_t from, std::size_t to, protocol::duration by) {
        links_[{from, to}].delay = by;
    }
    bool whole(std::size_t one, std::size_t other) const {
        return !is_broken(one, other) && !is_broken(other, one);
    }

    const model_limits limits;
    event_queue& events;

private:
    struct link {
        bool broken = false;
        protocol::duration delay{};
        protocol::instant last{};
        std::uint64_t sent = 0;
        std::uint64_t due = 0;                     // up to here it would have arrived
        std::map<std::uint64_t, action> under_way; // in the order in which it was sent
    };

    static void deliver(link& on);

    bool is_broken(std::size_t from, std::size_t to) const {
        const auto found = links_.find({from, to});
        return found != links_.end() && found->second.broken;
    }

    std::mt19937_64& random_;
    std::map<std::pair<std::size_t, std::size_t>, link> links_;
};

} // namespace turnstile::test
