// SPDX-License-Identifier: BSL-1.0
// What a guard does at its own limits, and at those that it sets: descriptors, watches, processes,
// bytes, and many sessions at once.
#include "command/support/guarded.hpp"
#include "command/support/tool.hpp"
#include "support/certificates.hpp"
#include "support/file_text.hpp"
#include "support/foreign_client.hpp"
#include "support/guard_client.hpp"
#include "support/pch.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

using namespace turnstile::test;
using namespace std::chrono_literals;

TEST_CASE("a guard without free descriptors ends the sessions that it knows, and recovers") {
    const guard_place place;
    running_guard guard{place, {}, {.before = {"sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\""}}};
    const auto path = fresh_path("guard");
    guarded_holder known{place, path};
    known.await_registered();
    std::vector<guard_client> others;
    for (int i = 0; i < 40; ++i)
        others.emplace_back(place.socket());
    guard.await_word("no descriptor is free");
    const auto later = fresh_path("guard");
    guarded_holder next{place, later};
    next.await_word("held");
    check_hand_over(known, path);
    others.clear();
    next.await_registered();
    check_hand_over(next, later);
}

TEST_CASE("a guard that can watch no more descriptors goes on when it can") {
    const guard_place place;
    const temp_folder folder{"turnstile-watches-"};
    const auto none = folder.path() / "none";
    running_guard guard{place, {}, {.before = without_watches(none)}};
    const auto path = fresh_path("guard");
    std::optional<guarded_holder> known;
    SECTION("of this user it knows a session") {
        known.emplace(place, path);
        known->await_word("held");
        known->await_registered();
    }
    SECTION("of this user it knows none") {}
    std::ofstream{none} << "\n";
    for (int i = 0; i < 3; ++i) {
        guard_client refused{place.socket()};
        refused.try_send(registration("127.0.0.1:1"), {descriptor_of(::getpid()).get()});
        CHECK(refused.answer().empty());
    }
    guard.await_word("No space left on device");
    if (known)
        known->process().kill_and_wait();
    std::filesystem::remove(none);
    if (known)
        await([&] { return tickets(path).empty(); }, at_once);
    const auto later = fresh_path("guard");
    guarded_holder next{place, later};
    next.await_word("held");
    next.await_registered();
    check_hand_over(next, later);
}

TEST_CASE("a guard that can make no process for the end of a session makes it later") {
    if (::geteuid() != 0) {
        WARN("only root can be another user");
        return;
    }
    const guard_place place;
    user_guard guard{place};
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_word("held");
    holder.await_registered();
    const auto user = guard.user();
    const auto limit = [&](const std::string& processes) {
        child_process set{{.argv = {"setpriv", "--reuid", "65533", "--clear-groups", "prlimit",
                                    "--nproc=" + processes + ':', "--pid", std::to_string(user)}}};
        REQUIRE(set.wait_for_end(20s));
        REQUIRE(set.exit_status() == 0);
    };
    limit("0");
    holder.process().kill_and_wait();
    guard.await_word("Resource temporarily unavailable");
    limit("1000");
    await([&] { return tickets(path).empty(); }, at_once);
}

TEST_CASE("the ends of a user's sessions are few processes and threads at a time") {
    const guard_place place;
    running_guard guard{place, {}, {.before = with_slow_names()}};
    std::string names;
    for (int i = 0; i < 32; ++i)
        names +=
            (i == 0 ? "after-" : ",after-") + std::to_string(1'000 + i) + ".turnstile.test:2181";
    std::vector<std::string> all;
    for (int i = 0; i < 30; ++i)
        all.push_back(registration(names, i, 3'200));
    REQUIRE(register_and_end(place.socket(), all));
    const auto user = guard.user();
    std::ptrdiff_t most = 0;
    await([&] {
        std::ptrdiff_t now = 0;
        for (const auto each : children_of(user)) {
            std::error_code gone;
            now += std::distance(std::filesystem::directory_iterator(
                                     "/proc/" + std::to_string(each) + "/task", gone),
                                 {});
        }
        most = std::max(most, now);
        return guard.says("could not be ended");
    });
    CHECK(most > 1);
    CHECK(most <= 60);
}

TEST_CASE("the files of a user's sessions have a limit for all of them") {
    const guard_place place;
    running_guard guard{place};
    const certificates files;
    auto text = file_text(files.file("ca"));
    while (text.size() + 64 < 1'048'576)
        text += std::string(63, ' ') + '\n';
    const auto memory = sealed_memory(text);
    const auto own = descriptor_of(::getpid());
    std::vector<guard_client> all;
    const auto answer_to = [&](int number) {
        auto& client = all.emplace_back(place.socket());
        client.send(registration_of(number, "127.0.0.1:1", "process authorities") + "tls on\n",
                    {own.get(), memory.get()});
        return client.answer();
    };
    int taken = 0;
    while (taken < 100 && answer_to(taken + 1) == "ok")
        ++taken;
    CHECK(taken == 64);
    CHECK(answer_to(200) == "refused: the files of this user's sessions have too many bytes");
    all.front().send("turnstile guard 2 sign-off\n");
    REQUIRE(all.front().answer() == "ok");
    CHECK(answer_to(201) == "ok");
}

TEST_CASE("thousands of registrations slow no hand-over down") {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const auto before = limit;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const auto count = static_cast<int>(std::min<rlim_t>(3'000, (limit.rlim_cur - 300) / 3));
    const guard_place place;
    running_guard guard{place};
    const auto own = descriptor_of(::getpid());
    std::vector<guard_client> others;
    for (int i = 0; i < count; ++i) {
        others.emplace_back(place.socket()).send(registration("127.0.0.1:1", i), {own.get()});
        REQUIRE(others.back().answer() == "ok");
    }
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_registered();
    check_hand_over(holder, path);
    others.clear();
    ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("hundreds of sessions of one process end at once") {
    // More than a server takes from one host at a time (maxClientCnxns: 60).
    constexpr int count = 300;
    const guard_place place;
    running_guard guard{place};
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i)
        all.push_back(registration(shared_server().address(), i));
    REQUIRE(register_and_end(place.socket(), all));
    await([&] {
        const auto said = guard.said();
        int ended = 0;
        for (auto at = said.find("is ended"); at != std::string::npos;
             at = said.find("is ended", at + 1))
            ++ended;
        return ended == count;
    });
}
