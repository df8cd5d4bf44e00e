// What the bare client takes to hand a node on, sampled while Turnstile does the same.
#pragma once

#include "limit_client.hpp"
#include "sample.hpp"
#include "target.hpp"

#include <cstddef>
#include <deque>
#include <string>

namespace turnstile::bench {

/// Some sessions of each copy of the C client, each on the server that Turnstile's session of that
/// number is on. Each hands on to the next one, and then it is that one's turn.
class limit_hand_off {
public:
    limit_hand_off(const target& server, std::string directory, std::size_t sessions = 2);

    /// Of one copy; they take turns. Whoever wants its sessions to rest before has it stand by
    /// first.
    void sample_one();
    void stand_by_one();
    void sample_both();
    /// Once each, for nothing but warm connections.
    void warm_up();
    /// Lets all sessions send their pings.
    void breathe();

    const sample& limit() const { return plain_.times; }
    const sample& redirected() const { return redirected_.times; }
    /// How many times a node was handed on so far; the time that the samples have taken.
    std::size_t count() const { return count_; }
    clock::duration spent() const { return spent_; }

    /// For whoever wants to look.
    limit_client& eyes() { return plain_.clients.front(); }

private:
    struct copy {
        std::deque<limit_client> clients{};
        std::size_t next = 0;
        std::string node{}; // stands by, if any
        sample times{};
    };
    copy& whose_turn();
    void stand_by(copy& of);
    clock::duration hand_off(copy& of);
    void sample_of(copy& of) { of.times.add(hand_off(of)); }

    std::string directory_;
    copy plain_;
    copy redirected_;
    std::size_t count_ = 0;
    clock::duration spent_{};
};

} // namespace turnstile::bench
