// SPDX-License-Identifier: BSL-1.0
// A log sink that takes the mutex which its user holds while he calls the library.
#include "integration/support/cancel_support.hpp"

namespace {

// Everything runs in one thread, so a line that is told while the user calls would wait for itself.
// Each call of a session finds out that its server is too slow for the lease, after a stall.
struct user_mutex_stage : fixture {
    const std::string path = fresh_path("user-mutex");
    frame_proxy proxy{shared_server().port()};
    std::mutex users;
    bool calling = false;
    int told = 0;
    int told_inside = 0;
    std::optional<session> s;
    std::optional<mutex> lock;
    held_lock kept;
    held_lock spare;
    cancellable waiter;
    probe result; ///< of what a call starts

    user_mutex_stage() {
        auto options = options_for(proxy.address());
        options.timeout = 1s;
        options.margin = margin;
        options.log.sink = [this](log_level, std::string_view) { tell(); };
        s.emplace(context, options);
        lock.emplace(*s, path);
        kept = acquire_now(*this, *lock);
        mutex other{*s, fresh_path("user-mutex")};
        spare = acquire_now(*this, other);
        lock->acquire(waiter.token());
        run_until([this] { return is_lost() || children_of(path).size() == 2; });
        const auto slow = proxy.add_rule({.direction = direction::to_client,
                                          .times = 0,
                                          .action = action::delay,
                                          .time = answer});
        run_until_hit(*this, proxy, slow, 2);
        const auto before = kept.deadline();
        // No beat is under way then.
        run_until([&] { return is_lost() || kept.deadline() != before; });
        told = 0;
    }

    // On a slow machine: this try shows nothing.
    bool is_lost() const { return !kept.is_held(); }

    void tell() {
        if (calling) { // it would hang here
            ++told_inside;
            return;
        }
        const std::lock_guard locked(users);
        ++told;
    }

    // Whether the call had something to tell, which is told before anything else happens.
    bool makes_log(const std::function<void(user_mutex_stage&)>& call) {
        std::optional<int> lines;
        asio::post(context, [&] {
            // justified: the stall itself
            std::this_thread::sleep_until(kept.deadline() - margin - answer / 2);
            const std::lock_guard locked(users);
            calling = true;
            call(*this);
            calling = false;
            asio::post(context, [&] { lines = told + told_inside; });
        });
        run_until([&] { return lines.has_value(); });
        return *lines > 0;
    }

    static constexpr auto margin = 100ms;
    static constexpr auto answer = 60ms;
};

struct user_call_kind {
    const char* name;
    std::function<void(user_mutex_stage&)> call;
};

} // namespace

TEST_CASE("a user's mutex may be held around a call, and taken in the log sink") {
    const auto kind = GENERATE(
        values<user_call_kind>({{"connect", [](auto& t) { t.s->connect(t.result.make()); }},
                                {"acquire", [](auto& t) { t.lock->acquire(t.result.make()); }},
                                {"cancel", [](auto& t) { t.waiter.cancel(); }},
                                {"release", [](auto& t) { t.spare.release(t.result.make()); }},
                                {"the end of a held_lock", [](auto& t) { t.spare = held_lock{}; }},
                                {"the end of a mutex", [](auto& t) { t.lock.reset(); }}}));
    INFO(kind.name);
    bool made = false;
    for (int tries = 0; tries < 10 && !made; ++tries) { // a slow machine oversleeps
        user_mutex_stage t;
        made = t.makes_log(kind.call);
        CHECK(t.told_inside == 0);
    }
    CHECK(made);
}
