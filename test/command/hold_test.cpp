// SPDX-License-Identifier: BSL-1.0
// turnstile hold: a lock for as long as the standard input lasts.
#include "command/support/fed_tool.hpp"
#include "command/support/terminal.hpp"
#include "support/file_text.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"
#include "support/unique_fd.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace turnstile::test;

namespace {

std::vector<std::string> hold(const std::string& path, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"hold", path});
    return options;
}

/// test/docs/hold.sh, with a program of the test.
class script {
public:
    explicit script(const std::string& program) {
        std::filesystem::create_symlink(TURNSTILE_COMMAND, folder_.path() / "turnstile");
        const auto file = folder_.path() / "migrate.sh";
        std::ofstream{file} << "#!/bin/sh\n" << program << '\n';
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        const auto found = folder_.path().string() + ':' + std::getenv("PATH");
        process_.emplace(child_process::options{
            .argv = {"bash", TURNSTILE_SECTION},
            .environment = {"PATH=" + found, "TURNSTILE_SERVERS=" + shared_server().address()},
            .working_folder = folder_.path(),
            .output_file = folder_.path() / "said"});
    }

    child_process& process() { return *process_; }
    std::filesystem::path folder() const { return folder_.path(); }
    std::string said() const { return file_text(folder_.path() / "said"); }
    int exit_code() {
        CHECK(process_->wait_for_end(std::chrono::seconds{20}));
        return process_->exit_status().value();
    }

private:
    temp_folder folder_{"turnstile-section-"};
    std::optional<child_process> process_;
};

const std::string section_path = "/locks/deploy";

/// Waits until the session that holds the lock has beaten twice: its thread stands still nowhere.
void await_beats(frame_proxy& proxy, const std::string& path) {
    const auto beats = proxy.add_rule({.op = op::multi,
                                       .part = op::check,
                                       .path = path + '/',
                                       .times = 0,
                                       .action = action::pass});
    CHECK(proxy.wait_until_hit(beats, 2, std::chrono::seconds{40}));
    proxy.remove_rule(beats);
}

/// Another reader of the input of hold, which gets what the test writes.
struct sharer {
    const char* script; ///< for sh; the input is 3, and "$0" "$@" runs hold
    bool on_terminal;
    bool reads;
};

const sharer sharers[] = {
    {"\"$0\" \"$@\" <&3 & echo hold $!; read answer <&3; echo got $answer; wait $!", false, true},
    {"\"$0\" \"$@\" <&3 & echo hold $!; \"$0\" hold \"$3-other\" <&3 & wait", false, false},
    {"\"$0\" \"$@\" <&3 & echo hold $!; read answer <&3; echo got $answer; wait $!", true, true},
};

void check_shared_input(const sharer& other) {
    CAPTURE(other.script, other.on_terminal);
    const auto path = fresh_path("hold");
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const unique_fd read_end{ends[0]};
    unique_fd write_end{ends[1]};
    terminal screen;
    const std::vector<std::string> before{"sh", "-c", std::string{"exec 3<&0; "} + other.script};
    frame_proxy proxy{shared_server().port()};
    tool::options how{.servers = proxy.address(), .before = before};
    (other.on_terminal ? how.input : how.pipe) =
        other.on_terminal ? screen.inside() : read_end.get();
    tool one{{"hold", "--timeout=4s", path}, how};
    const auto holder = one.number_after("hold ");
    await([&] { return tickets(path).size() == 1; });
    tool rival{run_script(path, "echo mine")};
    await([&] { return tickets(path).size() == 2; });
    const std::string answer = "12345\n";
    if (other.on_terminal)
        screen.type(answer);
    else
        REQUIRE(::write(write_end.get(), answer.data(), answer.size()) == 6);
    if (other.reads)
        CHECK(one.number_after("got ") == 12345);
    await_beats(proxy, path);
    CHECK(tickets(path).size() == 2);
    CHECK(rival.output().empty());
    write_end.reset();
    if (other.on_terminal)
        ::kill(holder, SIGTERM);
    CHECK(rival.exit_code() == 0);
}

} // namespace

TEST_CASE("hold writes the token when it holds the lock, and releases it when its input ends") {
    const auto path = fresh_path("hold");
    fed_tool one{hold(path, {"--label", "mine"})};
    one.await_word("\n");
    CHECK(one->output().size() == 34);
    tool other{run_script(path, "true", {"--no-wait"})};
    CHECK(other.exit_code() == 122);
    CHECK(other.says("\"mine\""));
    fed_tool waits{hold(path)};
    await([&] { return tickets(path).size() == 2; });
    CHECK(waits->output().empty());
    one.end_input();
    CHECK(one->exit_code() == 0);
    CHECK(one->said().empty());
    waits.await_word("\n");
    CHECK(waits->output() > one->output());
}

TEST_CASE("hold takes shared locks and permits, which have no token") {
    const auto path = fresh_path("hold");
    fed_tool one{hold(path, {"--shared"})};
    fed_tool two{hold(path, {"--shared", "--key", "a"})};
    one.await_word("\n");
    two.await_word("\n");
    tool limit{{"limit", path + "-pool", "1"}};
    REQUIRE(limit.exit_code() == 0);
    fed_tool permit{hold(path + "-pool", {"--permits", "1"})};
    permit.await_word("\n");
    CHECK(permit->output() == "\n");
}

TEST_CASE("a wait of hold ends with its input, or as --no-wait and -E say") {
    const auto path = fresh_path("hold");
    lock_holder holder{path};
    fed_tool waits{hold(path, {"-E", "9"})};
    await([&] { return tickets(path).size() == 2; });
    waits.end_input();
    CHECK(waits->exit_code() == 9);
    CHECK(waits->says("the standard input ended before " + path + " was acquired"));
    CHECK(waits->output().empty());
    CHECK(tickets(path).size() == 1);
    fed_tool tries{hold(path, {"--no-wait"})};
    CHECK(tries->exit_code() == 122);
    CHECK(tries->says("is held by"));
}

TEST_CASE("an input of which hold cannot wait for the end is refused") {
    const auto* const input = GENERATE("</dev/null", "</dev/zero", "</etc/passwd", "<&-",
                                       "3<&0; p=$(mktemp -u); mkfifo $p; exec <>$p; rm $p");
    CAPTURE(input);
    tool one{hold(fresh_path("hold")),
             {.before = {"sh", "-c", std::string{"exec "} + input + "; exec \"$0\" \"$@\""}}};
    CHECK(one.exit_code() == 120);
    CHECK(one.says("the standard input has no end"));
}

TEST_CASE("hold leaves what is in its standard input to others, and keeps its lock") {
    check_shared_input(GENERATE(from_range(std::begin(sharers), std::end(sharers))));
}

TEST_CASE("hold with a shared standard input, 200 rounds each", "[.][hosts]") {
    for (const auto& each : sharers)
        for (int round = 0; round < 200; ++round)
            check_shared_input(each);
}

TEST_CASE("a standard output that nobody reads does not lose the lock of hold") {
    const temp_folder folder{"turnstile-hold-"};
    const auto pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const unique_fd full{::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)};
    const std::array<char, 4096> page{};
    while (::write(full.get(), page.data(), page.size()) > 0) {
    }
    const auto path = fresh_path("hold");
    frame_proxy proxy{shared_server().port()};
    fed_tool one{hold(path, {"--timeout", "4s"}),
                 {.servers = proxy.address(),
                  .before = {"sh", "-c", "exec \"$0\" \"$@\" >" + pipe.string()}}};
    await([&] { return tickets(path).size() == 1; });
    const auto ticket = tickets(path);
    await_beats(proxy, path);
    CHECK(tickets(path) == ticket);
    one->end();
}

TEST_CASE("a signal ends hold, and releases the lock, but no SIGTSTP") {
    const auto path = fresh_path("hold");
    fed_tool one{hold(path)};
    one.await_word("\n");
    one->process().signal(SIGTSTP);
    one->process().signal(SIGTERM);
    CHECK(one->exit_code() == 128 + SIGTERM);
    CHECK(tickets(path).empty());
}

TEST_CASE("a hold that loses its lock ends with 123") {
    const auto path = fresh_path("hold");
    fed_tool one{hold(path, {"--timeout", "2s"})};
    one.await_word("\n");
    delete_tickets(path);
    CHECK(one->exit_code() == 123);
    CHECK(one->says("the lock " + path + " is lost"));
}

TEST_CASE("a hold whose lock is lost, or held for too long, runs a line, and tells which it was") {
    const auto path = fresh_path("hold");
    const bool for_too_long = GENERATE(false, true);
    auto options =
        std::vector<std::string>{"--on-lost", "echo \"$TURNSTILE_LOCK: $TURNSTILE_REASON\""};
    if (for_too_long)
        options.insert(options.end(), {"--at-most", "300ms"});
    fed_tool one{hold(path, options)};
    one.await_word("\n");
    if (!for_too_long)
        delete_tickets(path);
    CHECK(one->exit_code() == (for_too_long ? 119 : 123));
    const auto told = one->output().substr(one->output().find('\n') + 1);
    CHECK(told.starts_with(path + ": "));
    CHECK((told.find("at_most") != std::string::npos) == for_too_long);
}

TEST_CASE("a lock of hold within a run of the same one is refused") {
    const auto path = fresh_path("hold");
    tool one{run_script(path, TURNSTILE_COMMAND " hold " + path)};
    CHECK(one.exit_code() == 120);
    CHECK(one.says("is held by a turnstile around this one"));
}

TEST_CASE("a section of a shell script holds the lock as the docs say") {
    script one{"echo token $1; turnstile run --no-wait /locks/deploy -- true; echo code $?"};
    CHECK(one.exit_code() == 0);
    CHECK(one.said().find("token 0") != std::string::npos);
    CHECK(one.said().find("code 122") != std::string::npos);
    CHECK(tickets(section_path).empty());
    lock_holder holder{section_path};
    script other{"echo never"};
    CHECK(other.exit_code() == 122);
    CHECK(other.said().find("never") == std::string::npos);
}

TEST_CASE("a section that loses its lock is told so") {
    script one{"echo now; while ! test -e gone; do sleep 0.01; done"};
    await([&] { return one.said().find("now") != std::string::npos; });
    delete_tickets(section_path);
    await([&] { return one.said().find("is lost") != std::string::npos; });
    CHECK(one.process().running());
    std::ofstream{one.folder() / "gone"};
    CHECK(one.exit_code() == 123);
}

TEST_CASE("the death of a shell ends its hold, once what the section started has ended") {
    script one{"echo pid $$; exec sleep 1000"};
    await([&] { return one.said().ends_with('\n'); }); // its program runs
    const auto child = std::atoi(one.said().substr(4).c_str());
    one.process().kill_and_wait();
    tool tries{run_script(section_path, "true", {"--no-wait"})};
    CHECK(tries.exit_code() == 122);
    tool next{run_script(section_path, "true")};
    await([&] { return tickets(section_path).size() == 2; });
    ::kill(child, SIGKILL);
    CHECK(next.exit_code() == 0);
}
