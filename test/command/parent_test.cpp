// SPDX-License-Identifier: BSL-1.0
// Whatever turnstile gets from its parent, it ends with its program's exit code.
#include "command/support/terminal.hpp"
#include "command/support/tool.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"
#include "support/unique_fd.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace turnstile::test;

namespace {

/// For `sh -c`: "$0" and "$@" are the command and its arguments.
constexpr const char* parents[] = {
    "exec env --ignore-signal=CHLD \"$0\" \"$@\"",
    "exec env --ignore-signal=INT \"$0\" \"$@\"",
    "exec env --ignore-signal=QUIT \"$0\" \"$@\"",
    "exec env --ignore-signal=TERM \"$0\" \"$@\"",
    "exec env --ignore-signal=HUP \"$0\" \"$@\"",
    "exec env --ignore-signal=PIPE \"$0\" \"$@\"",
    "exec env --ignore-signal=ALRM \"$0\" \"$@\"",
    "exec env --ignore-signal=TTIN --ignore-signal=TTOU --ignore-signal=TSTP \"$0\" \"$@\"",
    "exec env --ignore-signal \"$0\" \"$@\"",
    "exec env --block-signal=CHLD \"$0\" \"$@\"",
    "exec env --block-signal=TERM \"$0\" \"$@\"",
    "exec env --block-signal=ALRM \"$0\" \"$@\"",
    "exec env --block-signal \"$0\" \"$@\"",
    "exec \"$0\" \"$@\" <&-",
    "exec \"$0\" \"$@\" >&-",
    "exec \"$0\" \"$@\" 2>&-",
    "exec \"$0\" \"$@\" <&- >&-",
    "exec \"$0\" \"$@\" <&- 2>&-",
    "exec \"$0\" \"$@\" >&- 2>&-",
    "exec \"$0\" \"$@\" <&- >&- 2>&-",
    "exec \"$0\" \"$@\" >/dev/full",
    "exec \"$0\" \"$@\" 2>/dev/full",
    "exec \"$0\" \"$@\" </etc/passwd",
    "echo 7 | \"$0\" \"$@\"",
    "true | \"$0\" \"$@\"",
    "p=$(mktemp -u); mkfifo $p; exec 3<>$p; rm $p; exec \"$0\" \"$@\" <&3 3<&-",
    "exec bash -c 'set -o pipefail; \"$0\" \"$@\" | true' \"$0\" \"$@\"",
    "exec bash -c 'set -o pipefail; \"$0\" \"$@\" 2>&1 >/dev/null | true' \"$0\" \"$@\"",
    "exec setsid -w \"$0\" \"$@\"",
    "exec nohup \"$0\" \"$@\"",
    "exec timeout 1000 \"$0\" \"$@\"",
    "exec timeout --foreground 1000 \"$0\" \"$@\"",
    "exec script -qec \"'$0' run $2 -- sh -c 'exit 7'\" /dev/null",
    "exec bash -mc '\"$0\" \"$@\" & wait $!' \"$0\" \"$@\"",
    "\"$0\" \"$@\" & wait $!",
    "sleep 1000 & \"$0\" \"$@\"; code=$?; kill $! && exit $code",
    "exec setpriv --no-new-privs \"$0\" \"$@\"",
    "exec nice -n 19 \"$0\" \"$@\"",
    "cd \"$(mktemp -d)\" && rmdir \"$PWD\" && exec \"$0\" \"$@\"",
    "umask 777; exec \"$0\" \"$@\"",
    "ulimit -n 32; exec \"$0\" \"$@\"",
    "ulimit -f 0; exec \"$0\" \"$@\"",
    "f=$(mktemp -u); mkfifo $f; " // a process group without a parent
    "setsid sh -c \"($(printf \"'%s' \" \"$0\" \"$@\"); echo \\$? >$f) &\"; "
    "read code <$f; rm $f; exit $code",
    "exec prlimit --nproc=1000 \"$0\" \"$@\"",
    "ulimit -c 0; ulimit -s 64; exec \"$0\" \"$@\"",
    "exec env -i PATH=\"$PATH\" TURNSTILE_SERVERS=\"$TURNSTILE_SERVERS\" \"$0\" \"$@\"",
    "exec \"$0\" run \"/locks/around-$$\" -- \"$0\" \"$@\"",
};

/// The same, in the foreground of a terminal.
constexpr const char* on_terminal[] = {
    "exec \"$0\" \"$@\"",
    "exec \"$0\" \"$@\" </dev/null",
    "echo 7 | \"$0\" \"$@\"",
    "exec bash -c 'set -o pipefail; \"$0\" \"$@\" | cat' \"$0\" \"$@\"",
    "stty tostop; exec \"$0\" \"$@\" </dev/null",
    "exec bash -mc '\"$0\" \"$@\"' \"$0\" \"$@\"",
    "exec setsid -w \"$0\" \"$@\"",
    "exec nohup \"$0\" \"$@\"",
};

} // namespace

TEST_CASE("turnstile ends with its program's exit code, whatever its parent gives it") {
    for (const auto* each : parents) {
        CAPTURE(each);
        const auto path = fresh_path("parent");
        tool one{{"run", path, "--", "sh", "-c", "exit 7"}, {.before = {"sh", "-c", each}}};
        CHECK(one.exit_code() == 7);
        CHECK(tickets(path).empty());
    }
}

TEST_CASE("turnstile ends with its program's exit code on a terminal, too") {
    for (const auto* each : on_terminal) {
        CAPTURE(each);
        terminal screen;
        const auto path = fresh_path("parent");
        tool one{run_script(path, "stty -echo </dev/tty; echo text; exit 7"),
                 {.input = screen.inside(), .before = {"sh", "-c", each}}};
        CHECK(one.exit_code() == 7);
        CHECK(tickets(path).empty());
    }
}

TEST_CASE("a descriptor that the parent has closed becomes no other file of turnstile") {
    const auto path = fresh_path("parent");
    tool one{run_script(path, "exec sleep 1000"),
             {.before = {"sh", "-c", "exec \"$0\" \"$@\" <&- >&- 2>&-"}}};
    await([&] { return tickets(path).size() == 1; });
    for (const auto* number : {"0", "1", "2"}) {
        CAPTURE(number);
        CHECK(std::filesystem::read_symlink("/proc/" + std::to_string(one.process().pid()) +
                                            "/fd/" + number) == "/dev/null");
    }
    one.end();
}

TEST_CASE("a program asks its question on the terminal, whatever its standard input is") {
    const auto* const input =
        GENERATE("exec \"$0\" \"$@\"", "exec \"$0\" \"$@\" </dev/null", "echo | \"$0\" \"$@\"");
    terminal screen;
    tool one{run_script(fresh_path("parent"), "echo ready 1; read x </dev/tty; echo got $x"),
             {.input = screen.inside(), .before = {"sh", "-c", input}}};
    (void)one.number_after("ready ");
    screen.type("7\n");
    CHECK(one.number_after("got ") == 7);
    CHECK(one.exit_code() == 0);
}

TEST_CASE("a program that waits for the terminal goes on once it is in the foreground") {
    terminal screen;
    const temp_folder folder{"turnstile-parent-"};
    const std::string errors = folder.path() / "errors";
    // The shell reads a line itself, so the test says when it is time.
    const auto script = "\"$0\" \"$@\" 2>" + errors + " & read go; fg; exit";
    tool one{
        run_script(fresh_path("parent"), "read x </dev/tty; echo got $x"),
        {.errors_to = screen.name(), .input = screen.inside(), .before = {"bash", "-mc", script}}};
    const auto said = [&] {
        std::ifstream in{errors};
        return std::string{std::istreambuf_iterator<char>{in}, {}};
    };
    await([&] { return said().find("waits for the terminal") != std::string::npos; });
    screen.type("go\n");
    screen.type("7\n");
    CHECK(one.number_after("got ") == 7);
    CHECK(one.exit_code() == 0);
}

TEST_CASE("a signal that the parent has blocked ends the wait for the lock") {
    const auto path = fresh_path("parent");
    lock_holder holder{path};
    tool waiter{run_script(path, "true"), {.before = {"env", "--block-signal=TERM"}}};
    await([&] { return tickets(path).size() == 2; });
    waiter.end();
}

TEST_CASE("a standard error that nobody reads stops neither the end of the program nor turnstile") {
    const temp_folder folder{"turnstile-parent-"};
    const auto pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const unique_fd full{::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)};
    const std::array<char, 4096> page{};
    while (::write(full.get(), page.data(), page.size()) > 0) {
    }
    const auto path = fresh_path("parent");
    tool one{run_script(path, "echo pid $$; exec sleep 1000", {"--timeout", "4s"}),
             {.errors_to = pipe}};
    const auto program = one.number_after("pid ");
    delete_tickets(path);
    CHECK(one.exit_code() == 123);
    CHECK_FALSE(is_alive(program));
}

TEST_CASE("with too few files turnstile says so, and runs nothing") {
    const auto path = fresh_path("parent");
    bool ran = false;
    for (int most = 6; !ran; ++most) {
        CAPTURE(most);
        tool one{run_script(path, "exit 7"),
                 {.before = {"prlimit", "--nofile=" + std::to_string(most)}}};
        const int code = one.exit_code();
        ran = code == 7;
        CHECK((ran || (one.says("Too many open files") && (code == 125 || code == 127))));
    }
}

TEST_CASE("with too few processes turnstile says so, and runs nothing") {
    // The limit does not hold for root, and counts all processes of a user.
    const std::string nobody = "setpriv --reuid=65533 --clear-groups prlimit --nproc=";
    const bool is_root = ::geteuid() == 0;
    const auto path = fresh_path("parent");
    bool ran = false;
    for (int most = 1; !ran && most < (is_root ? 16 : 2); ++most) {
        CAPTURE(most);
        const auto limit = (is_root ? nobody : "prlimit --nproc=") + std::to_string(most);
        tool one{run_script(path, "exit 7"),
                 {.before = {"sh", "-c", "exec " + limit + " \"$0\" \"$@\""}}};
        const int code = one.exit_code();
        ran = code == 7;
        CHECK((ran ||
               (one.says("Resource temporarily unavailable") && (code == 125 || code == 126))));
    }
    CHECK(ran == is_root);
    CHECK(tickets(path).empty());
}
