// SPDX-License-Identifier: BSL-1.0
// What the bare client takes to hand a node on, sampled while Turnstile does the same.
#pragma once

#include "bare_client.hpp"
#include "sample.hpp"
#include "target.hpp"

#include <cstddef>
#include <deque>
#include <string>

namespace turnstile::bench {

/// Some sessions of each copy of the C client, each on the server that Turnstile's session of that
/// number is on. They stand in a line: each watches the node of the one before it.
class bare_hand_off {
public:
    bare_hand_off(const target& server, std::string directory, std::size_t sessions = 2);

    /// Enough for that many samples. Whoever does not ask for it lines up with each sample.
    void line_up(std::size_t samples);
    /// Of one copy; they take turns.
    void sample_one();
    void sample_both();
    /// Uses each connection once.
    void warm_up();
    /// Lets some sessions send their pings: called often enough, each every two seconds. For the
    /// time between two hand-offs, as it takes the thread.
    void breathe();

    const sample& plain() const { return plain_.times; }
    const sample& redirected() const { return redirected_.times; }
    /// How many times a node was handed on so far; the time that the samples and pings have taken.
    std::size_t count() const { return plain_.times.count() + redirected_.times.count(); }
    clock::duration spent() const { return spent_; }

    /// For whoever wants to look.
    bare_client& eyes() { return plain_.clients.front(); }

private:
    struct copy {
        std::deque<bare_client> clients{};
        std::size_t first = 0;          // whose node is the first in line
        std::deque<std::string> line{}; // nodes, each watched by the next client
        sample times{};

        bare_client& in_line(std::size_t place) {
            return clients[(first + place) % clients.size()];
        }
    };
    void stand_in_line(copy& of);
    void hand_on(copy& of);

    std::string directory_;
    copy plain_;
    copy redirected_;
    clock::duration spent_{};
    clock::time_point next_breath_ = clock::now();
    std::size_t breaths_ = 0; // of all sessions, which take turns
};

} // namespace turnstile::bench
