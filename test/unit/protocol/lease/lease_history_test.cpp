// SPDX-License-Identifier: BSL-1.0
// The lease against an oracle that implements the rule literally, over random histories.
#include "protocol/lease/lease.hpp"
#include "protocol/time/instant.hpp"

#include "support/pch.hpp"

#include <random>

using namespace turnstile;
using namespace turnstile::protocol;
using namespace std::chrono_literals;

namespace {

/// The two-write rule as the design words it, without any thought of cost.
class lease_oracle {
public:
    explicit lease_oracle(std::optional<protocol::duration> tick) : tick_(tick) {}

    void connected(protocol::instant handshake_began, protocol::instant now,
                   protocol::duration negotiated) {
        timeout_ = timeout_ ? std::min(*timeout_, negotiated) : negotiated;
        requests_ = {{.sent = handshake_began, .answered = now, .write = false}};
        handshake_ = handshake_began;
    }

    void disconnected() {
        requests_.clear();
        handshake_.reset();
    }

    void answered(protocol::instant sent, protocol::instant now, bool write) {
        requests_.push_back({sent, now, write});
        if (!write)
            return;
        if (handshake_)
            prove(*handshake_);
        auto gap = *timeout_ * 3 / 8;
        if (tick_ && 2 * *tick_ < *timeout_)
            gap = *tick_ * 3 / 4;
        const auto& w2 = requests_.back();
        for (const auto& r : requests_)
            for (const auto& w1 : requests_)
                if (w1.write && w1.sent >= r.answered + gap && w2.sent >= w1.answered)
                    prove(r.sent);
    }

    std::optional<protocol::instant> deadline() const {
        return newest_ ? std::optional{*newest_ + *timeout_} : std::nullopt;
    }

private:
    struct request {
        protocol::instant sent;
        protocol::instant answered;
        bool write;
    };

    void prove(protocol::instant sent) { newest_ = newest_ ? std::max(*newest_, sent) : sent; }

    const std::optional<protocol::duration> tick_;
    std::optional<protocol::duration> timeout_;
    std::optional<protocol::instant> newest_;
    std::optional<protocol::instant> handshake_;
    std::vector<request> requests_; // of this connection
};

constexpr duration longest_timeout = 16s;

class history {
public:
    history(std::uint64_t seed, duration longest_trip)
        : engine_(seed),
          longest_trip_(longest_trip),
          tick_(stated(seed)),
          lease_(tick_),
          oracle_(tick_) {}

    /// Runs a history, and compares after each step.
    void run(int steps) {
        connect();
        for (int i = 0; i < steps; ++i) {
            step();
            compare();
        }
    }

    duration largest_lag() const { return largest_lag_; }
    int proved() const { return proved_; }

private:
    struct open_request {
        instant sent;
        instant due;
        bool write;
    };

    static std::optional<duration> stated(std::uint64_t seed) {
        constexpr std::array ticks{100ms, 1000ms, 2000ms, 4000ms, 6000ms, 8000ms, 9000ms};
        return seed % 8 < ticks.size() ? std::optional<duration>{ticks.at(seed % 8)} : std::nullopt;
    }

    duration up_to(duration longest) {
        return duration{static_cast<duration::rep>(
            engine_() % static_cast<std::uint64_t>(longest.count() + 1))};
    }

    void connect() {
        const auto began = now_;
        now_ += up_to(longest_trip_);
        const auto timeout = engine_() % 4 == 0 ? longest_timeout / 2 : longest_timeout;
        lease_.connected(began, now_, timeout);
        oracle_.connected(began, now_, timeout);
    }

    void step() {
        const auto dice = engine_() % 100;
        if (dice < 2) {
            open_.clear();
            lease_.disconnected();
            oracle_.disconnected();
            now_ += up_to(longest_timeout / 2);
            return connect();
        }
        if (dice < 55) {
            const auto due = std::max(now_ + up_to(longest_trip_), last_due_);
            last_due_ = due; // answered in order
            open_.push_back({now_, due, engine_() % 3 != 0});
            return;
        }
        if (dice < 80 && !open_.empty())
            return answer(open_.front().due);
        const auto next = now_ + up_to(longest_timeout / 4);
        while (!open_.empty() && open_.front().due <= next)
            answer(open_.front().due);
        now_ = next;
    }

    void answer(instant when) {
        now_ = std::max(now_, when);
        const auto request = open_.front();
        open_.pop_front();
        lease_.answered(request.sent, now_, request.write);
        oracle_.answered(request.sent, now_, request.write);
    }

    void compare() {
        const auto ours = lease_.deadline();
        const auto exact = oracle_.deadline();
        REQUIRE(ours.has_value() == exact.has_value());
        if (!ours)
            return;
        ++proved_;
        REQUIRE(*ours <= *exact);
        largest_lag_ = std::max(largest_lag_, *exact - *ours);
    }

    std::mt19937_64 engine_;
    duration longest_trip_;
    std::optional<duration> tick_;
    instant now_{1s};
    instant last_due_{};
    std::deque<open_request> open_;
    protocol::lease lease_;
    lease_oracle oracle_;
    duration largest_lag_{};
    int proved_ = 0;
};

} // namespace

TEST_CASE("the lease is never later than the rule, and at most T/32 earlier on a fast network") {
    int proved = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        CAPTURE(seed);
        history some(seed, 100ms);
        some.run(60);
        proved += some.proved();
        REQUIRE(some.largest_lag() <= longest_timeout / 64 * 2);
    }
    CHECK(proved > 50000); // the histories do prove leases
}

TEST_CASE("on a slow network the lease stays on the safe side, by a round trip and T/64 at most") {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        CAPTURE(seed);
        history some(seed, 3s);
        some.run(60);
        REQUIRE(some.largest_lag() <= 3s + longest_timeout / 64);
    }
}
