// SPDX-License-Identifier: BSL-1.0
// What the program has started ends with the lock, whatever process group or session it is in.
#include "command/support/tool.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace turnstile::test;

namespace {

/// A job that tells its process id, and heeds no signal but SIGKILL.
class stubborn_job {
public:
    stubborn_job() {
        std::ofstream{file_} << "#!/bin/sh\ntrap '' TERM INT HUP\necho $1 $$\nexec sleep 1000\n";
        std::filesystem::permissions(file_, std::filesystem::perms::owner_all);
    }
    std::string file() const { return file_; }

private:
    temp_folder folder_{"turnstile-job-"};
    const std::string file_ = folder_.path() / "job";
};

struct way {
    std::string_view name;
    std::string_view script; ///< starts "$job NAME" in the background
};

/// The job stays below the program, or has lost its parent, in a group or a session of its own.
constexpr way ways_out[] = {
    {"background", "$job background &"},
    {"orphan", "($job orphan &)"},
    {"nohup", "nohup $job nohup &"},
    {"timeout", "timeout 1000 $job timeout &"},
    {"stubborn-timeout", "sh -c \"trap '' TERM; timeout 1000 $job stubborn-timeout; true\" &"},
    {"job-control", "bash -c \"set -m; $job job-control & wait\" &"},
    {"orphan-group", "bash -c \"set -m; $job orphan-group &\" &"},
    {"own-group", "perl -e 'setpgrp; system @ARGV' $job own-group &"},
    {"session", "(setsid $job session; true) &"},
    {"session-in-timeout", "timeout 1000 setsid -w $job session-in-timeout &"},
    {"own-session",
     "perl -MPOSIX -e 'fork and wait or POSIX::setsid and exec @ARGV' $job own-session &"},
    {"terminal", "script -qc \"$job terminal\" /dev/null &"},
    {"nested", "turnstile run --timeout 2s $other -- $job nested &"},
};

constexpr way daemons[] = {
    {"setsid-f", "setsid -f $job setsid-f"},
    {"daemon",
     "perl -MPOSIX -e 'fork and exit; POSIX::setsid; fork and exit; exec @ARGV' $job daemon"},
    {"setsid", "(setsid $job setsid &)"}, // has the least time
};

template <std::size_t N>
std::string all_of(const way (&ways)[N], const stubborn_job& job) {
    auto script = "job=" + job.file() + "; other=" + fresh_path("other") +
                  "; turnstile() { " TURNSTILE_COMMAND " \"$@\"; }; ";
    for (const auto& each : ways)
        script += std::string{each.script} + "\n";
    return script;
}

template <std::size_t N>
std::vector<pid_t> jobs_of(tool& program, const way (&ways)[N]) {
    std::vector<pid_t> jobs;
    for (const auto& each : ways)
        jobs.push_back(program.number_after(std::string{each.name} + " "));
    return jobs;
}

constexpr auto until_usr1 = "trap 'exit 3' USR1; echo pid $$; while :; do sleep 0.01; done";

std::vector<std::string> of_program(const std::string& path, const std::string& script) {
    return run_script(path, script, {"--timeout", "2s", "--grace", "200ms"});
}

/// Its output is one line for each of these processes that lives.
std::string look_for(const std::vector<pid_t>& processes) {
    std::string script = "true";
    for (const auto each : processes)
        script += "; kill -0 " + std::to_string(each) + " && echo overlap";
    return script;
}

enum class ending { by_itself, by_signal, by_loss, by_kill };

} // namespace

TEST_CASE("no job of the program runs beside the next holder, however it has left the group") {
    const auto how =
        GENERATE(ending::by_itself, ending::by_signal, ending::by_loss, ending::by_kill);
    CAPTURE(how);
    const auto path = fresh_path("leftover");
    const stubborn_job job;
    tool one{of_program(path, all_of(ways_out, job) + until_usr1)};
    const auto program = one.number_after("pid ");
    const auto jobs = jobs_of(one, ways_out);
    if (how == ending::by_loss) {
        // Others may have the lock at once.
        delete_tickets(path);
        CHECK(one.exit_code() == 123);
    }
    tool heir{run_script(path, look_for(jobs))};
    if (how != ending::by_loss)
        await([&] { return tickets(path).size() == 2; });
    if (how == ending::by_itself) {
        ::kill(program, SIGUSR1);
        CHECK(one.exit_code() == 3);
        CHECK(one.says("the program has ended, and left "));
    } else if (how == ending::by_signal) {
        one.process().signal(SIGTERM);
        CHECK(one.exit_code() == 128 + SIGTERM);
    } else if (how == ending::by_kill) {
        one.process().kill_and_wait();
    }
    (void)heir.exit_code();
    CHECK(heir.output().empty());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        CAPTURE(ways_out[i].name);
        CHECK_FALSE(is_alive(jobs[i]));
    }
}

TEST_CASE("a program that ends by itself leaves its daemons alone, however fast it ends") {
    const stubborn_job job;
    for (int round = 0; round < 4; ++round) {
        tool one{of_program(fresh_path("leftover"), all_of(daemons, job) + "exit 3")};
        CHECK(one.exit_code() == 3);
        CHECK(one.said().empty());
        for (const auto& each : daemons) {
            CAPTURE(each.name);
            const auto daemon = one.number_after(std::string{each.name} + " ");
            CHECK(is_alive(daemon));
            ::kill(daemon, SIGKILL);
        }
    }
}

TEST_CASE("a program that is ended takes its daemons with it") {
    const auto how = GENERATE(ending::by_signal, ending::by_loss, ending::by_kill);
    CAPTURE(how);
    const auto path = fresh_path("leftover");
    const stubborn_job job;
    tool one{of_program(path, all_of(daemons, job) + until_usr1)};
    (void)one.number_after("pid ");
    const auto jobs = jobs_of(one, daemons);
    if (how == ending::by_signal)
        one.process().signal(SIGTERM);
    else if (how == ending::by_loss)
        delete_tickets(path);
    else
        one.process().kill_and_wait();
    for (const auto each : jobs)
        await([&] { return !is_alive(each); });
}

TEST_CASE("when the guardian is killed, nothing of the program is left either") {
    const stubborn_job job;
    tool one{of_program(fresh_path("leftover"),
                        "echo guard $PPID; " + all_of(ways_out, job) + until_usr1)};
    (void)one.number_after("pid ");
    const auto jobs = jobs_of(one, ways_out);
    ::kill(one.number_after("guard "), SIGKILL);
    CHECK(one.exit_code() == 125);
    CHECK(one.says("guards the program was killed"));
    for (const auto each : jobs)
        CHECK_FALSE(is_alive(each));
}

TEST_CASE("where there are no handles of processes, signals reach the program and its jobs") {
    const stubborn_job job;
    tool one{of_program(fresh_path("leftover"), all_of(ways_out, job) + until_usr1),
             {.before = refusing({"pidfd_open", "pidfd_send_signal"})}};
    (void)one.number_after("pid ");
    const auto jobs = jobs_of(one, ways_out);
    one.end();
    for (const auto each : jobs)
        CHECK_FALSE(is_alive(each));
}

TEST_CASE("a guardian that can open no file keeps the lock until it has seen what is left") {
    const auto path = fresh_path("leftover");
    const stubborn_job job;
    tool one{
        of_program(path, "job=" + job.file() + "; $job left & echo guard $PPID; " + until_usr1)};
    const auto program = one.number_after("pid ");
    const auto left = one.number_after("left ");
    const auto guardian = one.number_after("guard ");
    tool heir{run_script(path, look_for({left}))};
    await([&] { return tickets(path).size() == 2; });
    rlimit usual{};
    REQUIRE(::prlimit(guardian, RLIMIT_NOFILE, nullptr, &usual) == 0);
    const rlimit full{.rlim_cur = 0, .rlim_max = usual.rlim_max};
    REQUIRE(::prlimit(guardian, RLIMIT_NOFILE, &full, nullptr) == 0);
    ::kill(program, SIGUSR1);
    await([&] { return !is_alive(program); });
    CHECK(tool{{"show", path}}.exit_code() == 0); // some time for a wrong release
    REQUIRE(::prlimit(guardian, RLIMIT_NOFILE, &usual, nullptr) == 0);
    CHECK(one.exit_code() == 3);
    (void)heir.exit_code();
    CHECK(heir.output().empty());
}

TEST_CASE("a guardian that can open no file ends the program at a loss all the same") {
    const auto path = fresh_path("leftover");
    const bool is_stubborn = GENERATE(false, true);
    tool one{run_script(path, std::string(is_stubborn ? "trap '' TERM; " : "") +
                                  "echo guard $PPID; echo pid $$; while :; do sleep 0.01; done")};
    const auto guardian = one.number_after("guard ");
    const auto program = one.number_after("pid ");
    rlimit usual{};
    REQUIRE(::prlimit(guardian, RLIMIT_NOFILE, nullptr, &usual) == 0);
    rlim_t free = 0; // the number that a further file would get
    while (std::filesystem::is_symlink("/proc/" + std::to_string(guardian) + "/fd/" +
                                       std::to_string(free)))
        ++free;
    const rlimit full{.rlim_cur = free, .rlim_max = usual.rlim_max};
    REQUIRE(::prlimit(guardian, RLIMIT_NOFILE, &full, nullptr) == 0);
    delete_tickets(path);
    await([&] { return !is_alive(program); });
    (void)::prlimit(guardian, RLIMIT_NOFILE, &usual, nullptr); // if it has not ended
    const int code = one.exit_code();
    INFO(one.said());
    CHECK(code == 123);
}
