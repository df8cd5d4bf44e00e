// SPDX-License-Identifier: BSL-1.0
// What an observer is told of acquires and locks.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"

namespace {

std::string name_of(lock_event::kind what) {
    using enum lock_event::kind;
    const std::map<lock_event::kind, std::string> names{
        {queued, "queued"}, {moved_up, "moved up"}, {granted, "granted"},
        {failed, "failed"}, {at_risk, "at risk"},   {out_of_danger, "out of danger"},
        {lost, "lost"},     {released, "released"}};
    return names.at(what);
}

/// A session behind a proxy, with an observer. Acquires are numbered as they come.
struct event_stage : fixture {
    std::string path = fresh_path("events");
    frame_proxy proxy{shared_server().port()};
    std::vector<std::string> told;
    std::vector<std::uint64_t> known;
    session s{context, observed()};

    session_options observed() {
        auto options = impatient(proxy.address());
        options.observer = [this](const lock_event& what) { note(what); };
        return options;
    }
    void note(const lock_event& what) {
        CHECK(what.path == path);
        auto found = std::ranges::find(known, what.acquire);
        if (found == known.end())
            found = known.insert(known.end(), what.acquire);
        auto text = std::to_string(found - known.begin()) + ' ' + name_of(what.what);
        if (what.what == lock_event::kind::queued || what.what == lock_event::kind::moved_up)
            text += " behind " + std::to_string(what.ahead);
        else if (what.what != lock_event::kind::failed)
            CHECK(what.fencing_token > turnstile::fencing_token{});
        if (what.reason)
            text += ": " + what.reason.message().substr(0, 12);
        told.push_back(text);
    }
};

} // namespace

TEST_CASE("an observer sees places, grants, failures and releases, in order") {
    event_stage t;
    contender first{t.s, t.path};
    contender second{t.s, t.path};
    contender hasty{t.s, t.path};
    acquire_now(t, first);
    CHECK(t.told == std::vector<std::string>{"0 granted"});
    second.acquire();
    t.run_until([&] { return t.told.size() == 2; });
    hasty.acquire_for(1ms);
    t.run_until([&] { return hasty.failed(); });
    first.release();
    t.run_until([&] { return second.holds() && first.release_result; });
    second.lock = held_lock{};
    t.run_until([&] { return t.told.size() >= 6 && t.told.back() == "1 released"; });
    CHECK(std::ranges::count(t.told, "1 queued behind 1") == 1);
    CHECK(std::ranges::count(t.told, "2 failed: the time lim") == 1);
    const auto at = [&](const char* what) { return std::ranges::find(t.told, what); };
    CHECK(at("0 granted") < at("1 queued behind 1"));
    CHECK(at("1 queued behind 1") < at("0 released"));
    CHECK(at("0 released") < at("1 released"));
    CHECK(at("1 granted") < at("1 released"));
}

TEST_CASE("an observer sees risk and loss once, however many handles share the lock") {
    event_stage t;
    contender holder{t.s, t.path};
    acquire_now(t, holder);
    const auto second = holder.lock.share();
    t.proxy.set_black_hole(true);
    t.run_until([&] { return holder.loss.has_value(); });
    CHECK(t.told == std::vector<std::string>{"0 granted", "0 at risk", "0 lost: the lock was"});
    holder.release(); // of what was lost: no event
    t.proxy.set_black_hole(false);
    t.run_until([&] { return holder.release_result.has_value(); });
    CHECK(t.told.size() == 3);
}

TEST_CASE("an observer may use the library, and may throw") {
    fixture f;
    const auto path = fresh_path("events");
    auto options = options_for();
    std::optional<mutex> lock;
    probe next;
    options.observer = [&](const lock_event& what) {
        if (what.what == lock_event::kind::granted && !next.done() && lock)
            lock->try_acquire(next.make());
        throw std::runtime_error("mine");
    };
    session s{f.context, options};
    lock.emplace(s, path);
    auto held = acquire_now(f, *lock);
    CHECK(end_of(f, next) == error::would_block);
    release_now(f, held);
}
