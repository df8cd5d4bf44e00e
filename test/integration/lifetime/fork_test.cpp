// SPDX-License-Identifier: BSL-1.0
// A forked child may not use the objects of its parent, and does them no harm.
#include "integration/support/cancel_support.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

enum verdict : int { fine = 0, thrown = 99 };

// Runs a function in a forked child, and returns its verdict. No assertion may fail in there.
int in_child(
    asio::io_context& context, const std::function<int()>& what,
    const std::function<void()>& in_parent = [] {}) {
    context.notify_fork(asio::execution_context::fork_prepare);
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::alarm(20);
        try {
            context.notify_fork(asio::execution_context::fork_child);
            ::_exit(what());
        } catch (...) {
            ::_exit(thrown);
        }
    }
    context.notify_fork(asio::execution_context::fork_parent);
    in_parent();
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// While it lives, the server answers nothing: what is sent meanwhile is answered after the fork.
struct silence {
    silence() { shared_server().pause(); }
    ~silence() { shared_server().resume(); }
    silence(const silence&) = delete;
    silence& operator=(const silence&) = delete;
};

// In the child: by then the answer of what changed the children lies in the socket of both.
void await_children(const std::string& path, std::size_t count) {
    while (children_of(path).size() != count) {
    }
}

struct fork_stage {
    std::unique_ptr<fixture> f = std::make_unique<fixture>();
    std::string path = fresh_path("fork");
    std::optional<session> s{std::in_place, f->context, options_for()};
    std::optional<mutex> lock{std::in_place, *s, path};
    held_lock held = acquire_now(*f, *lock);
    std::int64_t id = s->id();

    void check_parent_is_well() {
        CHECK(s->usage().connections == 1);
        CHECK(s->id() == id);
        CHECK(held.is_held());
        CHECK(tickets_of(path, id) == 1);
        probe lost;
        held.wait_lost(lost.make());
        auto next = stand_in_line(*f, *lock, 2);
        CHECK(lost.pending());
        release_now(*f, held);
        CHECK(end_of(*f, next) == error_code{});
        release_now(*f, next.lock());
        CHECK(s->id() == id);
        check_nothing_left(*f, *s, path);
        CHECK(s->usage().connections == 1); // no answer was missed, at any time
    }
};

} // namespace

TEST_CASE("operations in a forked child fail and leave the parent's session alone") {
    fork_stage t;
    const int result = in_child(t.f->context, [&] {
        int failed = 0;
        int number = 0;
        const auto expect = [&](auto... ignored) {
            static_cast<void>(sizeof...(ignored));
            const int bit = 1 << number++;
            failed |= bit;
            return [&failed, bit](error_code code, auto&&...) {
                if (code == error::forked)
                    failed &= ~bit;
            };
        };
        t.s->connect(expect());
        t.s->wait_state_change(session_state::connected, expect());
        t.lock->acquire(expect());
        t.lock->try_acquire(expect());
        t.held.wait_lost(expect());
        t.held.release(expect());
        t.s->close(expect());
        t.f->context.poll();
        return failed;
    });
    CHECK(result == fine); // else a bit for each operation that came to something else
    t.check_parent_is_well();
}

TEST_CASE("a session that was not used before the fork is the parent's, too, and says what to do") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("fork-unused")};
    const int result = in_child(f.context, [&] {
        error_code told;
        lock.acquire([&](error_code code, held_lock) { told = code; });
        f.context.poll();
        return told == error::forked ? fine : 1;
    });
    CHECK(result == fine);
    const auto words = make_error_code(error::forked).message();
    CHECK(words.find("make the session after the fork") != std::string::npos);
    auto held = acquire_now(f, lock);
    release_now(f, held);
}

TEST_CASE("a forked child holds no lock of its parent's") {
    fork_stage t;
    mutex other{*t.s, t.path + "-other"};
    multi_lock both{other};
    auto parts = acquire_now(*t.f, both);
    const int result = in_child(t.f->context, [&] {
        const auto holds = [](const held_lock& lock) {
            return lock.is_held() || !lock.is_at_risk() ||
                   lock.deadline() != lease_clock::time_point();
        };
        return (holds(t.held) ? 1 : 0) + (holds(parts) ? 2 : 0) + (holds(t.held.share()) ? 4 : 0);
    });
    CHECK(result == fine);
    CHECK(parts.is_held());
    parts = held_lock{};
    t.check_parent_is_well();
}

TEST_CASE("a forked child may destroy its copies in any order") {
    const auto order = GENERATE(0, 1, 2, 3, 4);
    fork_stage t;
    probe waiting;
    std::optional<silence> quiet{std::in_place};
    t.lock->acquire(waiting.make());
    t.f->context.poll();
    const auto child = [&] {
        await_children(t.path, 2);
        switch (order) {
        case 0:
            t.held = held_lock{};
            t.lock.reset();
            t.s.reset();
            t.f->context.poll();
            break;
        case 1:
            t.s.reset();
            t.held = held_lock{};
            t.f->context.poll();
            t.f.reset();
            break;
        case 2:
            t.f.reset();
            t.s.reset();
            break;
        case 3:
            t.s->close([](error_code) {});
            t.held.release([](error_code) {});
            t.f->context.poll();
            t.s.reset();
            t.lock.reset();
            t.f->context.poll();
            t.f.reset();
            break;
        default:
            *t.s = session{t.f->context, options_for()};
            *t.lock = mutex{*t.s, "/locks/another"};
            t.f->context.poll();
        }
        return static_cast<int>(fine);
    };
    const int result = in_child(t.f->context, child, [&] { quiet.reset(); });
    CHECK(result == fine);
    t.f->run_until([&] { return children_of(t.path).size() == 2; });
    CHECK(waiting.pending());
    waiting.lock() = held_lock{};
    CHECK(t.held.is_held());
    CHECK(children_of(t.path).size() == 2);
    release_now(*t.f, t.held);
    CHECK(end_of(*t.f, waiting) == error_code{});
    t.held = std::move(waiting.lock());
    t.check_parent_is_well();
}

TEST_CASE("a forked child that goes on running the context takes nothing from its parent") {
    fork_stage t;
    session other{t.f->context, options_for()};
    mutex theirs{other, fresh_path("fork-running")};
    auto theirs_held = acquire_now(*t.f, theirs);
    mutex ours{*t.s, theirs.path()};
    auto next = stand_in_line(*t.f, ours, 2);
    // Sent before the fork: the answer and the event come to both processes.
    std::optional<silence> quiet{std::in_place};
    probe release;
    theirs_held.release(release.make());
    t.f->context.poll();
    CHECK(release.pending());
    CHECK(next.pending());
    const auto child = [&] {
        await_children(theirs.path(), 1);
        t.f->context.restart();
        t.f->context.run_for(std::chrono::milliseconds{100});
        return (next.done() ? 1 : 0) + (release.done() ? 2 : 0);
    };
    const int result = in_child(t.f->context, child, [&] { quiet.reset(); });
    CHECK(result == fine);
    t.f->run_until([&] { return next.done() && release.done(); });
    CHECK(next.code() == error_code{});
    CHECK(release.code() == error_code{});
    CHECK(other.usage().connections == 1);
    next.lock() = held_lock{};
    t.check_parent_is_well();
}

TEST_CASE("a forked child may have a session of its own") {
    fork_stage t;
    const auto path = t.path;
    const int result = in_child(t.f->context, [&] {
        asio::io_context own;
        session s{own, options_for()};
        mutex lock{s, path};
        bool busy = false;
        error_code granted;
        mutex free{s, path + "-child"};
        lock.try_acquire([&](error_code code, held_lock taken) {
            busy = !code && !taken;
            free.acquire([&](error_code late, held_lock) {
                granted = late;
                s.close([](error_code) {});
            });
        });
        own.run();
        return busy && !granted ? fine : 1;
    });
    CHECK(result == fine);
    t.check_parent_is_well();
}

TEST_CASE("a program that a child executes inherits no socket of a session") {
    fork_stage t;
    const auto file =
        std::filesystem::temp_directory_path() / ("turnstile-fds-" + std::to_string(::getpid()));
    const int result = in_child(t.f->context, [&] {
        const int out = ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
        if (out < 0 || ::dup2(out, 1) < 0 || ::dup2(out, 2) < 0 || ::dup2(out, 0) < 0)
            return 1;
        ::execlp("ls", "ls", "-l", "/proc/self/fd", nullptr);
        return 2;
    });
    CHECK(result == fine);
    std::ifstream in{file};
    const std::string listing{std::istreambuf_iterator<char>{in}, {}};
    std::filesystem::remove(file);
    INFO(listing);
    CHECK(listing.find(" 0 -> ") != std::string::npos); // it lists at all
    CHECK(listing.find("socket:") == std::string::npos);
    CHECK(listing.find("anon_inode") == std::string::npos);
    t.check_parent_is_well();
}
