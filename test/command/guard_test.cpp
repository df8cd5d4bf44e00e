// SPDX-License-Identifier: BSL-1.0
// The host guard: what a process that was killed had locked is free at once.
#include "command/support/guarded.hpp"
#include "command/support/tool.hpp"
#include "support/pch.hpp"

#include <nlohmann/json.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <string>
#include <thread>

using namespace turnstile::test;
using namespace std::chrono_literals;

TEST_CASE("the lock of a process that was killed goes to the next at once") {
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("guard");
    guarded_holder first{place, path};
    first.await_word("held");
    first.await_registered();
    guarded_holder next{place, path};
    await([&] { return tickets(path).size() == 2; });
    first.process().kill_and_wait();
    next.await_at_once("held");
    guard.await_word("process " + std::to_string(first.number_after("pid ")) + " is gone");
    CHECK(guard.says("is ended"));
}

TEST_CASE("one that was restarted does not wait for itself") {
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("guard");
    guarded_holder first{place, path};
    first.await_word("held");
    first.await_registered();
    first.process().kill_and_wait();
    guarded_holder again{place, path};
    again.await_at_once("held");
}

TEST_CASE("a session that was closed is signed off") {
    const guard_place place;
    running_guard guard{place};
    guarded_holder closed{place, fresh_path("guard")};
    closed.await_registered();
    guarded_holder other{place, fresh_path("guard")};
    other.await_registered();
    const auto number = closed.number_after("pid ");
    const bool late = GENERATE(false, true); // the guard hears of it and of the end together
    if (late)
        guard.freeze();
    closed.order("close");
    closed.await_word("close is done"); // a log line has the word closed before
    closed.process().kill_and_wait();
    other.process().kill_and_wait();
    guard.thaw();
    guard.await_word("is ended");
    CHECK_FALSE(guard.says("process " + std::to_string(number)));
}

TEST_CASE("a new session of the same object registers anew") {
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("guard");
    guarded_holder first{place, path, {.timeout_ms = 4'000}};
    first.await_word("held");
    first.await_registered();
    first.process().freeze();
    await([&] { return tickets(path).empty(); }); // its session has expired
    first.process().thaw();
    first.await_word("held", 2);
    first.await_word("registered with the guard", 2);
    guarded_holder next{place, path};
    await([&] { return tickets(path).size() == 2; });
    first.process().kill_and_wait();
    next.await_word("held");
    guard.await_word("is ended");
}

TEST_CASE("a guard that is to let things settle waits before it ends a session") {
    const guard_place place;
    running_guard guard{place, {"--settle", "1500ms"}};
    const auto path = fresh_path("guard");
    guarded_holder first{place, path};
    first.await_word("held");
    first.await_registered();
    const auto begun = std::chrono::steady_clock::now();
    first.process().kill_and_wait();
    await([&] { return tickets(path).empty(); }, at_once);
    CHECK(std::chrono::steady_clock::now() - begun >= 1500ms);
}

TEST_CASE("a guard that is told to end leaves no socket behind") {
    const guard_place place;
    running_guard guard{place};
    guard.process().signal(SIGTERM);
    CHECK(guard.exit_code() == 0);
    CHECK(::access(place.socket().c_str(), F_OK) != 0);
}

TEST_CASE("when turnstile is killed, the next gets its lock once the program has gone") {
    const auto path = fresh_path("guard");
    tool one{run_script(path, "trap '' TERM; echo pid $$; while :; do sleep 0.1; done",
                        {"--timeout", "30s"})};
    const auto program = one.number_after("pid ");
    tool heir{run_script(path, "if kill -0 " + std::to_string(program) +
                                   "; then echo overlap; else echo alone; fi")};
    await([&] { return tickets(path).size() == 2; });
    one.process().kill_and_wait();
    await([&] { return !heir.output().empty(); }, at_once);
    CHECK(heir.output() == "alone\n");
    CHECK(heir.exit_code() == 0);
}

TEST_CASE("a turnstile that is killed while it waits stands in nobody's way") {
    const auto path = fresh_path("guard");
    lock_holder holder{path, {"--timeout", "30s"}};
    tool waiting{run_script(path, "echo mine", {"--timeout", "30s"})};
    await([&] { return tickets(path).size() == 2; });
    waiting.process().kill_and_wait();
    await([&] { return tickets(path).size() == 1; }, at_once);
    CHECK(is_alive(holder.program));
}

TEST_CASE("a guard lets the program of a turnstile end first, and then its session") {
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("guard");
    tool one{run_script(path, "echo pid $$; echo guard $PPID; trap '' TERM; sleep 1000",
                        {"--timeout", "30s", "--guard", place.socket(), "-v"})};
    const auto program = one.number_after("pid ");
    const auto guardian = one.number_after("guard ");
    await([&] { return one.says("registered with the guard"); });

    SECTION("turnstile alone is killed, and its guardian stands still") {
        // Else the kernel wakes a group that loses its last parent.
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        ::kill(guardian, SIGSTOP);
        one.process().kill_and_wait();
        // justified: nothing tells that the guard goes on waiting
        std::this_thread::sleep_for(500ms);
        CHECK(tickets(path).size() == 1);
        CHECK(is_alive(program));
        ::kill(guardian, SIGCONT);
        await([&] { return tickets(path).empty(); }, at_once);
        CHECK_FALSE(is_alive(program));
        ::prctl(PR_SET_CHILD_SUBREAPER, 0);
        for (const pid_t each : {guardian, program})
            ::waitpid(each, nullptr, 0);
    }
    SECTION("all of them are killed, as a container is") {
        for (const pid_t each : {program, guardian})
            ::kill(each, SIGKILL);
        one.process().kill_and_wait();
        await([&] { return tickets(path).empty(); }, at_once);
    }
}

TEST_CASE("doctor says whether the guard takes registrations") {
    const guard_place place;
    const auto doctor = [&](const std::vector<std::string>& before) {
        tool one{{"doctor", "--json", "/locks"}, {.before = before}};
        (void)one.exit_code();
        const auto all = nlohmann::json::parse(one.output()).at("findings");
        for (const auto& each : all)
            if (each.at("check") == "guard")
                return each.at("severity").get<std::string>() + ": " +
                       each.at("text").get<std::string>() +
                       (each.at("severity") == "ok" ? "" : ". ") +
                       each.at("advice").get<std::string>();
        return std::string{};
    };
    const std::vector<std::string> named{"env", "TURNSTILE_GUARD=" + place.socket()};
    CHECK(doctor({}).empty());
    CHECK(doctor(named) ==
          "warning: the guard at " + place.socket() +
              ": No such file or directory. Run `turnstile guard` there (systemctl status "
              "turnstile-guard), and let this user reach its socket.");
    running_guard guard{place};
    CHECK(doctor(named) ==
          "ok: the guard at " + place.socket() + " ends sessions of processes that die");
    auto sandboxed = refusing({"pidfd_open"});
    sandboxed.insert(sandboxed.end(), named.begin(), named.end());
    CHECK(doctor(sandboxed) == "warning: the guard at " + place.socket() +
                                   ": pidfd_open: Operation not permitted. Allow pidfd_open: the "
                                   "seccomp profile of the container refuses it, or the kernel is "
                                   "older than 5.3.");
}
