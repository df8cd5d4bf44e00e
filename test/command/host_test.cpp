// SPDX-License-Identifier: BSL-1.0
// `turnstile run` ends all that its command has started before the next holder gets the lock. It
// finds the processes in /proc. So this tests all forms that a host's /proc can have, with all
// kinds of left-over processes, at all ends of a run. Where /proc does not show enough, the command
// is refused. The cast: a run, and an heir in line behind it, which sees whether the left-over
// still runs. ctest runs a part of all combinations; all of them: turnstile-command-tests '[hosts]'
#include "command/support/tool.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace turnstile::test;

namespace {

using words = std::vector<std::string>;

/// What a command begins with to run as another user, from whom /proc may hide processes.
const words as_user{"setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"};

words with_proc(const std::string& mount) {
    words result{"unshare", "-m", "sh", "-c", mount + " && exec \"$0\" \"$@\""};
    result.insert(result.end(), as_user.begin(), as_user.end());
    return result;
}

words with_user(words before) {
    before.insert(before.end(), as_user.begin(), as_user.end());
    return before;
}

/// A form of /proc.
struct form {
    std::string name;
    words before;       ///< what a command begins with to run with such a /proc
    bool is_own = true; ///< it is that of the own namespace; else a run is refused
};

const form normal{"normal", as_user};
const form none{"none", with_proc("mount -t tmpfs none /proc"), false};
const form noaccess{"hidepid=1", with_proc("mount -t proc -o hidepid=1 proc /proc")};
const form invisible{"hidepid=2", with_proc("mount -t proc -o hidepid=2 proc /proc")};
const form ptraceable{"hidepid=4", with_proc("mount -t proc -o hidepid=4 proc /proc")};
const form foreign{"another namespace's", with_user({"unshare", "--pid", "--fork"}), false};

/// Runs a command once its process has the same number in both namespaces: then /proc/self, which
/// is another process's, looks like its own.
constexpr const char* until_numbers_meet = R"(
try='read -r number rest < /proc/self/stat; [ "$number" = $$ ] || exit 77; exec "$0" "$@"'
while :; do
    last=$(sh -c 'read -r number rest < /proc/self/stat; echo $number')
    echo "$last" > /proc/sys/kernel/ns_last_pid || exit 78
    sh -c "$try" "$0" "$@"
    code=$?
    [ $code = 77 ] || exit $code
done)";
const form look_alike{
    "another namespace's, and the same number",
    with_user({"unshare", "--pid", "--fork", "sh", "-c", until_numbers_meet}),
    false,
};
const form unlisted{"not listed", with_user(refusing({"getdents64"}))};

const form forms[] = {normal, none, noaccess, invisible, ptraceable, foreign, look_alike, unlisted};

/// A process that a command leaves behind. The script is for a shell: L is the program of
/// host/left_over.cpp, R the same program as root, and F its file, by which it is told what to do.
struct left_over {
    std::string_view name;
    std::string_view script;
};

const left_over background{"background", "$L plain $F &"};
const left_over daemon{"daemon", "$L daemon $F"};
const left_over of_root{"another user's", "$R root $F &"};
const left_over headless{"main thread ended", "$L thread $F &"};
const left_over traced{"traced and stopped", "$L traced $F &"};
const left_over inside{"another pid namespace", "unshare --user --pid --fork $L plain $F &"};
const left_over yield_line{"line of --on-yield", ""};
const left_over grandchild{"grandchild", "$L grandchild $F"};

const left_over kinds[] = {background, daemon, of_root,    headless,
                           traced,     inside, yield_line, grandchild};

enum class host_ending { by_itself, by_signal, by_loss, by_kill };
constexpr host_ending endings[] = {host_ending::by_itself, host_ending::by_signal,
                                   host_ending::by_loss, host_ending::by_kill};

bool is_possible(words before) {
    before.emplace_back("true");
    child_process try_it{{.argv = before}};
    return try_it.wait_for_end(std::chrono::seconds{20}) && try_it.exit_status() == 0;
}

/// The folder of a left-over. By files in it the test tells it what to do, and sees what it does.
class job_folder {
public:
    job_folder() {
        using namespace std::filesystem;
        permissions(folder_.path(), perms::all);
        const auto of_user = folder_.path() / "left_over";
        const auto root = folder_.path() / "left_over_of_root";
        copy_file(TURNSTILE_LEFT_OVER, of_user);
        copy_file(TURNSTILE_LEFT_OVER, root);
        permissions(root, perms::set_uid, perm_options::add);
    }
    std::string file(const char* end = "") const { return (folder_.path() / "job").string() + end; }
    void tell(const char* end) const { std::ofstream{file(end)}; }
    bool has(const char* end) const { return std::filesystem::exists(file(end)); }
    std::string definitions() const {
        const auto program = (folder_.path() / "left_over").string();
        return "L=" + program + "; R=" + program + "_of_root; F=" + file() + "; ";
    }

private:
    temp_folder folder_{"turnstile-host-"};
};

/// Waits until a session of a frozen process has expired, which has the same timeout as the run.
void await_session_timeout() {
    const auto path = fresh_path("host");
    lock_holder silent{path, {"--timeout", "3s"}};
    silent.process().freeze();
    await([&] { return tickets(path).empty(); });
}

void check(const form& host, const left_over& kind, host_ending how) {
    CAPTURE(host.name, kind.name, how);
    const auto path = fresh_path("host");
    const job_folder job;
    frame_proxy proxy{shared_server().port()};
    const bool is_line = kind.script.empty();
    words options{"--timeout", "3s", "--grace", "300ms"};
    if (is_line)
        options.insert(options.end(), {"--on-yield", job.definitions() + "exec $L plain $F"});
    const auto script = job.definitions() + std::string{kind.script} +
                        "\n echo ready 1; until [ -e $F.go ]; do sleep 0.01; done; exit 3";
    tool one{run_script(path, script, options),
             {.servers = proxy.address(), .before = host.before}};
    if (!host.is_own) {
        CHECK(one.exit_code() == 125);
        CHECK(one.says("/proc here"));
        CHECK_FALSE(job.has(".ready"));
        return;
    }
    (void)one.number_after("ready ");
    if (is_line)
        (void)tool{{"yield", "--wait", "1s", path}}.exit_code();
    await([&] { return job.has(".ready"); });
    tool heir{run_script(path, "if flock -n " + job.file() +
                                   " true; then echo alone; else echo overlap; fi")};
    await([&] { return tickets(path).size() == 2; });
    if (how == host_ending::by_itself)
        job.tell(".go");
    else if (how == host_ending::by_signal)
        one.process().signal(SIGTERM);
    else if (how == host_ending::by_loss)
        proxy.set_black_hole(true);
    else
        one.process().kill_and_wait();
    if (kind.name == daemon.name && how == host_ending::by_itself) { // a daemon may go on then
        CHECK(one.exit_code() == 3);
        (void)heir.exit_code();
        job.tell(".end");
        return;
    }
    if (kind.name == of_root.name) { // nobody here can end it
        await([&] { return one.says("cannot be ended"); });
        if (how == host_ending::by_loss) {
            CHECK(one.says("it works beside others until its end"));
        } else {
            CHECK(one.says("is kept until its end"));
            await_session_timeout();
            CHECK(tickets(path).size() == 2);
        }
        job.tell(".end");
    }
    (void)heir.exit_code();
    if (kind.name != of_root.name || how != host_ending::by_loss)
        CHECK(heir.output() == "alone\n");
    if (how != host_ending::by_kill)
        CHECK(one.exit_code() == (how == host_ending::by_itself   ? 3
                                  : how == host_ending::by_signal ? 128 + SIGTERM
                                                                  : 123));
    job.tell(".end");
}

bool can_check() {
    const bool all = ::geteuid() == 0 && std::ranges::all_of(forms, [](const form& each) {
                         return is_possible(each.before);
                     });
    if (!all)
        WARN("only root can make these hosts, and no sandbox may refuse it");
    return all;
}

} // namespace

TEST_CASE("no left-over runs beside the next holder where /proc hides other users' processes") {
    if (can_check())
        check(invisible, GENERATE(from_range(std::begin(kinds), std::end(kinds))),
              host_ending::by_itself);
}

TEST_CASE("a left-over that cannot be ended keeps the lock at each end of a run, and is told") {
    if (can_check())
        check(invisible, of_root, GENERATE(from_range(std::begin(endings), std::end(endings))));
}

TEST_CASE("in each form of /proc nothing runs beside the next holder") {
    if (can_check())
        check(GENERATE(from_range(std::begin(forms), std::end(forms))), of_root,
              host_ending::by_itself);
}

TEST_CASE("doctor says where a command would be refused for the /proc of its host") {
    if (!can_check())
        return;
    for (const auto& host : forms) {
        CAPTURE(host.name);
        tool doctor{{"doctor"}, {.before = host.before}};
        const int code = doctor.exit_code();
        const auto found = doctor.output();
        const auto says = [&](const char* text) { return found.find(text) != found.npos; };
        CHECK(says("`turnstile run` can see what its command starts") == host.is_own);
        CHECK(says("so `turnstile run` refuses to run a command") == !host.is_own);
        CHECK((code == 2) == !host.is_own);
    }
}

TEST_CASE("all hosts, left-overs and ends of a run", "[.][hosts]") {
    REQUIRE(can_check());
    int cells = 0;
    for (const auto& host : forms)
        for (const auto& kind : kinds)
            for (const auto how : endings) {
                check(host, kind, how);
                std::printf("%d: %s, %s, %d\n", ++cells, host.name.c_str(), kind.name.data(),
                            static_cast<int>(how));
                std::fflush(stdout);
            }
}
