// SPDX-License-Identifier: BSL-1.0
// Sees who stands still: a peer is started anew and counted, a contender of Turnstile is starved.
#include "contest.hpp"
#include "line_view.hpp"
#include "support/pch.hpp"

namespace turnstile::interop {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds beat{100};
constexpr milliseconds between_looks{1'000};

std::string in_ms(contest::clock::duration duration) {
    return std::to_string(std::chrono::ceil<milliseconds>(duration).count()) + " ms";
}

} // namespace

asio::awaitable<void> contest::watch() {
    auto last = clock::now();
    while (contending_ > 1) { // this is one of them
        co_await pause(beat);
        const auto now = clock::now();
        if (disturbed_) {
            moved_ = now;
            idle_ += now - last;
        } else if (now - moved_ >= 3 * beat) {
            idle_ += now - last;
        }
        last = now;
        for (auto& one : theirs_)
            if (one.process)
                one.process->kill_if_overdue(now);
        if (!stopped_) {
            watch_waiting(now);
            watch_line(now);
        }
    }
    for (auto& s : sessions_)
        co_await s.close(asio::use_awaitable);
}

contest::clock::duration contest::waited(const waiting& one, clock::time_point now) const {
    return one.on ? now - one.since - (idle_ - one.idle_before) : clock::duration::zero();
}

void contest::watch_waiting(clock::time_point now) {
    for (const auto& one : ours_) {
        if (const auto long_one = waited(one.wait, now); long_one >= how_.turnstile_patience) {
            violation(one.name + " is starved: it waited for " + in_ms(long_one) +
                      " while others were granted the lock " +
                      std::to_string(grants_ - one.wait.grants_before) + " times");
        }
    }
    for (auto& one : theirs_)
        if (waited(one.wait, now) >= how_.turnstile_patience)
            hangs(one, "others", now);
}

void contest::watch_line(clock::time_point now) {
    const auto still = now - moved_;
    if (still < how_.peer_patience || now - looked_ < between_looks)
        return;
    looked_ = now;
    const auto first = look_at_line(servers_, path_);
    const auto is_of = [&first](const auto& one) { return first && one.session == first->session; };
    if (const auto peer = std::find_if(theirs_.begin(), theirs_.end(), is_of);
        peer != theirs_.end()) {
        hangs(*peer, first->name, now);
        return;
    }
    const bool our_own = std::any_of(sessions_.begin(), sessions_.end(), [&](const session& s) {
        return first && s.id() == first->session;
    });
    if (still < how_.turnstile_patience)
        return; // Turnstile's, or of a session that is about to expire
    const auto behind = first ? "behind " + first->name : std::string{"at nobody's ticket"};
    const bool wait_for_us =
        std::any_of(ours_.begin(), ours_.end(), [](const ours& one) { return one.wait.on; });
    if (our_own || (!first && wait_for_us)) {
        violation("the line stood still for " + in_ms(still) + ' ' + behind);
        return;
    }
    for (auto& one : theirs_) // one of them has a session that it did not tell
        if (one.wait.on)
            hangs(one, first ? first->name : std::string{"no ticket"}, now);
}

void contest::hangs(theirs& one, const std::string& ticket, clock::time_point now) {
    if (one.process && !one.process->hung_up()) {
        ++found_.hangs;
        moved_ = now;
        std::cerr << "interop: " << kind_.name << ", " << one.name << " hangs with " << ticket
                  << " first in line\n";
        one.process->hang_up();
    }
}

} // namespace turnstile::interop
