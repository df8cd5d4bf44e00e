// SPDX-License-Identifier: BSL-1.0
// Servers whose every answer takes a good part of what a holder waits for it (T/8, 2 s).
#include "unit/protocol/machine_fixture.hpp"

#include <random>

namespace {

/// A lock that is held, and servers that answer everything, handshakes too, when they get to it.
struct slow_servers {
    /// How long the next answer of a server takes.
    using trip_source = std::function<duration(std::size_t server)>;

    machine_fixture f;
    trip_source trip;
    int left = 0; // connections that the holder gave up

    explicit slow_servers(trip_source how, std::optional<duration> tick = {})
        : f(with(tick)), trip(std::move(how)) {
        f.hold();
    }

    void serve(duration span) {
        const auto end = f.now + span;
        while (f.now < end && f.told.events.empty()) {
            await_answers();
            f.now = std::max(f.now, std::min(end, next()));
            step();
            notice_drop();
        }
    }

private:
    static settings with(std::optional<duration> tick) {
        auto result = machine_fixture::three_servers();
        result.tick = tick;
        return result;
    }
    void await_answers() {
        while (due_.size() < f.wire.open.size())
            due_.push_back(std::max(due_.empty() ? f.now : due_.back(), f.now + next_trip()));
        if (std::exchange(attempts_, f.wire.connects.size()) != f.wire.connects.size())
            accepted_ = f.now + next_trip();
    }
    duration next_trip() const { return trip(f.wire.connects.back().server); }
    instant next() const {
        auto result = f.machine.next_timer().value_or(instant::max());
        if (!due_.empty())
            result = std::min(result, due_.front());
        return accepted_ ? std::min(result, *accepted_) : result;
    }
    void step() {
        if (accepted_ && *accepted_ <= f.now) {
            accepted_.reset();
            f.accept();
        } else if (!due_.empty() && due_.front() <= f.now) {
            due_.pop_front();
            const auto what = f.wire.open.front().what;
            f.reply(text_of(what),
                    what.op == operation::get ? replies::node(100, our_session) : replies::ok());
        } else {
            f.machine.on_time(f.now);
        }
    }
    void notice_drop() {
        if (std::exchange(drops_, f.wire.drops) == f.wire.drops)
            return;
        ++left;
        due_.clear();
        accepted_.reset();
        f.cut();
    }

    std::deque<instant> due_; // of what is open
    std::optional<instant> accepted_;
    std::size_t attempts_ = 1;
    int drops_ = 0;
};

} // namespace

TEST_CASE("where each answer takes a tenth of the timeout, the lock is kept") {
    const auto tick = GENERATE(std::optional<duration>{}, duration{200ms}, duration{2s},
                               duration{3250ms}, duration{4s}, duration{8s});
    for (auto trip = 0ms; trip <= 1760ms; trip += 20ms) {
        slow_servers s([trip](std::size_t) { return trip; }, tick);
        s.serve(5min);
        INFO(trip.count() << " ms, tick " << tick.value_or(0s) / 1ms);
        CHECK(s.f.events().empty());
        if (trip <= 1500ms)
            CHECK(s.left == 0);
    }
}
