// SPDX-License-Identifier: BSL-1.0
// A guard is a convenience: without one, or with a bad one, a session does as it always did. And
// what programs send to a guard does it no harm.
#include "command/support/guarded.hpp"
#include "command/support/tool.hpp"
#include "support/certificates.hpp"
#include "support/file_text.hpp"
#include "support/foreign_client.hpp"
#include "support/free_port.hpp"
#include "support/guard_client.hpp"
#include "support/pch.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

/// It has its lock, and has complained of the guard just once.
void check_goes_without(guarded_holder& holder) {
    holder.await_word("held");
    holder.await_word("warning: ");
    holder.await_word("the guard at ");
    CHECK(holder.count("warning: ") == 1);
    CHECK(holder.count("lost") == 0);
    INFO(holder.said());
}

/// Accepts whatever comes, and does this with each connection.
class false_guard {
public:
    false_guard(const std::string& path, std::string answer, int times)
        : listening_(listening_socket(path, SOCK_SEQPACKET)),
          thread_([this, answer = std::move(answer), times] {
              for (;;) {
                  const unique_fd peer{::accept(listening_.get(), nullptr, nullptr)};
                  if (!peer)
                      return;
                  ++connections_;
                  char first = 0; // of a registration, which is all that comes
                  if (times > 0)
                      ::recv(peer.get(), &first, sizeof first, 0);
                  for (int i = 0; i < times; ++i)
                      if (::send(peer.get(), answer.data(), answer.size(), MSG_NOSIGNAL) < 0)
                          break;
              }
          }) {}
    ~false_guard() {
        ::shutdown(listening_.get(), SHUT_RDWR); // wakes the accept
        thread_.join();
    }
    false_guard(const false_guard&) = delete;
    false_guard& operator=(const false_guard&) = delete;
    int connections() const { return connections_; }

private:
    unique_fd listening_;
    std::atomic<int> connections_{0};
    std::thread thread_;
};

} // namespace

TEST_CASE("a session goes without a guard, says so once, and registers when one comes") {
    const guard_place place;
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    check_goes_without(holder);
    running_guard guard{place};
    holder.await_registered();
    check_hand_over(holder, path);
}

TEST_CASE("after a guard that was killed comes another, at the same socket") {
    const guard_place place;
    std::optional<running_guard> guard{place};
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_registered();
    guard->process().kill_and_wait();
    guard.reset();
    holder.await_word("it has ended");
    guard.emplace(place);
    holder.await_word("registered with the guard", 2);
    check_hand_over(holder, path);
}

TEST_CASE("a guard that stands still holds nobody up, and hears of the session later") {
    const guard_place place;
    running_guard guard{place};
    guard.freeze();
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_word("held");
    CHECK(holder.count("warning: ") == 0);
    holder.await_word("it does not answer");
    SECTION("while the process lives") {
        guard.thaw();
        holder.await_registered();
        check_hand_over(holder, path);
    }
    SECTION("after it has died") {
        holder.process().kill_and_wait();
        guard.thaw();
        await([&] { return tickets(path).empty(); }, at_once);
    }
}

TEST_CASE("what is no guard disturbs no session") {
    const guard_place place;
    std::optional<unique_fd> listening;
    std::optional<false_guard> guard;
    const auto kind = GENERATE(as<std::string>{}, "a file", "a socket of another kind",
                               "a program that says nothing of use", "one that does not stop",
                               "one that hangs up");
    INFO(kind);
    if (kind == "a file")
        std::ofstream{place.socket()} << "text\n";
    else if (kind == "a socket of another kind")
        listening.emplace(listening_socket(place.socket(), SOCK_STREAM));
    else if (kind == "a program that says nothing of use")
        guard.emplace(place.socket(), std::string(2'000, 'x'), 1);
    else if (kind == "one that does not stop")
        guard.emplace(place.socket(), "refused: \x1b[2J\n", 1'000'000);
    else
        guard.emplace(place.socket(), "", 0);
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    check_goes_without(holder);
    CHECK(holder.said().find('\x1b') == std::string::npos);
    holder.order("close");
    holder.await_word("close is done");
}

TEST_CASE("a guard that answers and ends at once is tried less and less often") {
    const guard_place place;
    const int answers = GENERATE(1, 2); // to one registration
    const false_guard guard{place.socket(), "ok\n", answers};
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_word("held");
    holder.await_word("warning: ");
    std::this_thread::sleep_for(1s); // justified: the time in which few attempts are made
    CHECK(guard.connections() < 15);
    CHECK(holder.count("lost") == 0);
}

TEST_CASE("a guard refuses what is no registration of its own process, and says why") {
    const guard_place place;
    running_guard guard{place, {"--verbose"}};
    const auto servers = shared_server().address();
    const auto own = descriptor_of(::getpid());
    const auto other = descriptor_of(::getppid());
    const auto refusal = [&](const std::string& text, const std::vector<int>& descriptors) {
        guard_client client{place.socket()};
        client.send(text, descriptors);
        return client.answer();
    };
    CHECK(refusal(registration(servers), {own.get()}) == "ok");
    CHECK(refusal(registration_of(1, servers, "process process"), {own.get(), other.get()}) ==
          "ok");
    CHECK(refusal(registration(servers), {other.get()}) ==
          "refused: the descriptor is that of another process");
    CHECK(refusal(registration(servers), {0}) == "refused: a descriptor is not that of a process");
    CHECK(refusal(registration_of(1, servers, "process process"), {own.get(), 0}) ==
          "refused: a descriptor is not that of a process");
    CHECK(refusal(registration_of(1, servers, "colour"), {own.get()}) ==
          "refused: a descriptor is not that of a process");
    CHECK(refusal(registration_of(1, servers, ""), {}) ==
          "refused: the descriptor of a process is missing");
    CHECK(refusal(registration(servers), {}) == "refused: a descriptor is missing");
    CHECK(refusal(registration(servers), {own.get(), own.get()}) ==
          "refused: a descriptor has no name");
    CHECK(refusal(registration("a,,b"), {own.get()}) ==
          "refused: the setting 'servers' is unknown, or its value is bad");
    CHECK(refusal(registration(servers) + "colour blue\n", {own.get()}) ==
          "refused: the setting 'colour' is unknown, or its value is bad");
    const auto key = [&](int file) {
        return refusal(registration_of(1, servers, "process key") + "tls on\n", {own.get(), file});
    };
    CHECK(
        key(sealed_memory("no key").get()).starts_with("refused: the guard cannot use its TLS: "));
    CHECK(key(sealed_memory(std::string(1'048'577, 'x')).get()) ==
          "refused: a file of its TLS has more than 1048576 bytes");
    CHECK(key(unique_fd{::open("/etc/passwd", O_RDONLY | O_CLOEXEC)}.get()) ==
          "refused: a file of its TLS is no sealed memory (memfd_create)");
    CHECK(key(unique_fd{::memfd_create("text", MFD_CLOEXEC | MFD_ALLOW_SEALING)}.get()) ==
          "refused: a file of its TLS is no sealed memory (memfd_create)");
    for (const auto text : {"-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "Proc-Type:  4,ENCRYPTED\n"})
        CHECK(key(sealed_memory(text).get()) == "refused: a file of its TLS is encrypted");
    const auto file = sealed_memory("text");
    CHECK(refusal(registration_of(1, servers, "process authorities authorities") + "tls on\n",
                  {own.get(), file.get(), file.get()}) ==
          "refused: a file of its TLS is sent twice");
    CHECK(refusal(registration(servers, 1, 3'600'001), {own.get()}) ==
          "refused: its timeout is more than an hour");
    CHECK(refusal(registration(servers) + "\x1b[2J\r blue\n", {own.get()}) ==
          "refused: the setting '?[2J?' is unknown, or its value is bad");
    CHECK(refusal(registration(servers) + "tls on\ntls-key-file /nowhere\n", {own.get()}) ==
          "refused: a guard opens no file by its name: send the descriptor");
    std::string many = servers;
    for (int i = 0; i < 32; ++i)
        many += ",10.0.0." + std::to_string(i);
    CHECK(refusal(registration(many), {own.get()}) == "refused: it names more than 32 servers");
    CHECK(refusal("turnstile guard 2 register\ndescriptors process\ntimeout 5\n", {own.get()}) ==
          "refused: servers, session and timeout are needed");
    CHECK(refusal("turnstile guard 1 register\n", {own.get()}) ==
          "refused: this guard is of another version than the program");
    CHECK(refusal("GET / HTTP/1.1\r\n\r\n", {}) ==
          "refused: this is the socket of turnstile guard");
    CHECK(refusal(std::string(70'000, 'x'), {}) ==
          "refused: too long, or this guard has no descriptor free");
    CHECK(refusal(registration(servers), std::vector<int>(20, own.get())) ==
          "refused: too long, or this guard has no descriptor free");
    // Who does not read the answer signs off all the same.
    for (int i = 0; i < 30; ++i) {
        guard_client brief{place.socket()};
        brief.send(registration(servers, i), {own.get()});
        brief.send("turnstile guard 2 sign-off\n");
    }
    for (int i = 0; i < 30; ++i) {
        guard_client empty{place.socket()};
        empty.send("", {own.get(), own.get()});
    }
    // It is well all the same, and has kept no descriptor of those.
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_registered();
    check_hand_over(holder, path);
    CHECK_FALSE(guard.says("00112233"));
    CHECK(guard.says("the setting '"));
    CHECK(guard.said().find_first_of("\x1b\r") == std::string::npos);
    const auto user = guard.user();
    const std::filesystem::path open = "/proc/" + std::to_string(user) + "/fd";
    await([&] { return std::distance(std::filesystem::directory_iterator(open), {}) < 20; });
}

TEST_CASE("the end of a connection to the guard says nothing of the process") {
    const guard_place place;
    running_guard guard{place};
    const auto own = descriptor_of(::getpid());
    {
        guard_client brief{place.socket()};
        brief.send(registration(shared_server().address()), {own.get()});
        REQUIRE(brief.answer() == "ok");
    }
    guarded_holder other{place, fresh_path("guard")};
    other.await_registered();
    other.process().kill_and_wait();
    guard.await_word("is ended");
    CHECK_FALSE(guard.says("process " + std::to_string(::getpid())));
}

TEST_CASE("a guard says what users call their servers in a form that steers no terminal") {
    const guard_place place;
    running_guard guard{place};
    const certificates files;
    const auto port = std::to_string(free_port());
    child_process server{
        {.argv = {"openssl", "s_server", "-accept", port, "-cert", files.file("server"), "-key",
                  files.file("server", ".key"), "-www"}}};
    const auto authority = sealed_memory(file_text(files.file("ca")));
    REQUIRE(
        register_and_end(place.socket(),
                         {registration_of(1, "127.0.0.1:" + port, "process authorities", 3'000) +
                          "tls on\ntls-server-name false\x1b[2J\r\n"},
                         {authority.get()}));
    guard.await_word("another name than");
    CHECK(guard.said().find_first_of("\x1b\r") == std::string::npos);
}

TEST_CASE("a session is ended when the servers come back, and given up after two timeouts") {
    zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path, {.servers = server.address()}};
    holder.await_word("held");
    holder.await_registered();
    guarded_holder brief{
        place, fresh_path("guard"), {.servers = server.address(), .timeout_ms = 1'000}};
    brief.await_registered();
    server.kill();
    brief.process().kill_and_wait();
    holder.process().kill_and_wait();
    guard.await_word("could not be ended");
    CHECK(guard.says(server.address()));
    server.start();
    foreign_client eyes{server.address()};
    await(
        [&] {
            std::vector<std::string> names;
            return eyes.children(path, &names) == 0 && names.empty();
        },
        at_once);
}

TEST_CASE("a session that expired before its process died is no trouble") {
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path, {.timeout_ms = 1'000}};
    holder.await_word("held");
    holder.await_registered();
    holder.process().freeze();
    await([&] { return tickets(path).empty(); });
    holder.process().kill_and_wait();
    guard.await_word("is ended");
}

TEST_CASE("a forked child neither keeps a registration alive nor ends one") {
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_word("held");
    holder.await_registered();
    holder.order("fork");
    const auto child = holder.number_after("child ");
    SECTION("it lives on") {
        check_hand_over(holder, path);
        CHECK(is_alive(child));
        ::kill(child, SIGKILL);
    }
    SECTION("it dies first") {
        ::kill(child, SIGKILL);
        await([&] { return !is_alive(child); });
        guarded_holder other{place, fresh_path("guard")};
        other.await_registered();
        other.process().kill_and_wait();
        guard.await_word("is ended");
        CHECK(tickets(path).size() == 1);
        check_hand_over(holder, path);
    }
    SECTION("the guard is a new one meanwhile") {
        guard.process().kill_and_wait();
        running_guard next{place};
        holder.await_word("registered with the guard", 2);
        ::kill(child, SIGKILL);
        await([&] { return !is_alive(child); });
        CHECK(holder.count("registered with the guard") == 2);
        CHECK(tickets(path).size() == 1);
        check_hand_over(holder, path);
    }
}

TEST_CASE("a guard whose words nobody takes does its work") {
    const guard_place place;
    tool guard{{"guard", "--socket", place.socket()}, {.errors_to = "/dev/full"}};
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_registered();
    check_hand_over(holder, path);
}

TEST_CASE("a guard takes no other file's place, nor that of a guard at work") {
    const guard_place place;
    SECTION("a file") {
        std::ofstream{place.socket()} << "text\n";
        tool guard{{"guard", "--socket", place.socket()}};
        CHECK(guard.exit_code() == 125);
        CHECK(guard.says("there is a file of that name. Name another path"));
        CHECK(std::filesystem::file_size(place.socket()) == 5);
    }
    SECTION("another program's socket") {
        const auto listening = listening_socket(place.socket(), SOCK_STREAM);
        tool guard{{"guard", "--socket", place.socket()}};
        CHECK(guard.exit_code() == 125);
        CHECK(guard.says("another program's socket is there"));
    }
    SECTION("a guard at work") {
        running_guard first{place};
        tool second{{"guard", "--socket", place.socket()}};
        CHECK(second.exit_code() == 125);
        CHECK(second.says("a guard is at work there already"));
        const auto path = fresh_path("guard");
        guarded_holder holder{place, path};
        holder.await_registered();
        check_hand_over(holder, path);
    }
    SECTION("a folder that is not there, a long path, a mode that is none") {
        tool missing{{"guard", "--socket", place.socket() + "/x/guard.sock"}};
        CHECK(missing.exit_code() == 125);
        CHECK(missing.says("its folder does not exist"));
        tool longer{{"guard", "--socket", "/" + std::string(200, 'x')}};
        CHECK(longer.exit_code() == 120);
        CHECK(longer.says("107 bytes at most"));
        tool odd{{"guard", "--socket", place.socket(), "--mode", "9"}};
        CHECK(odd.exit_code() == 120);
        CHECK(odd.says("write it in octal"));
    }
}

TEST_CASE("a guard that ends leaves the socket of another one") {
    const guard_place place;
    running_guard first{place};
    std::filesystem::remove(place.socket());
    running_guard second{place};
    first.process().signal(SIGTERM);
    CHECK(first.exit_code() == 0);
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_registered();
    check_hand_over(holder, path);
}

TEST_CASE("a session ends with the last of the processes that have registered it") {
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("guard");
    guarded_holder holder{place, path};
    holder.await_word("held");
    holder.await_registered();
    const auto text = registration_of(session_of(path), shared_server().address());
    const auto own = descriptor_of(::getpid());
    guard_client other{place.socket()};
    other.send(text, {own.get()});
    REQUIRE(other.answer() == "ok");
    REQUIRE(register_and_end(place.socket(), {text}));
    // The guard has seen the end of the child once it has seen that of a later one.
    guarded_holder later{place, fresh_path("guard")};
    later.await_registered();
    later.process().kill_and_wait();
    guard.await_word("is ended");
    CHECK(tickets(path).size() == 1);
    CHECK(holder.count("lost") == 0);
    other.send("turnstile guard 2 sign-off\n");
    REQUIRE(other.answer() == "ok");
    check_hand_over(holder, path);
}

TEST_CASE("the socket lets in whom its mode lets in") {
    const guard_place place;
    running_guard guard{place, {"--mode", "0600"}};
    struct stat found {};
    REQUIRE(::stat(place.socket().c_str(), &found) == 0);
    CHECK((found.st_mode & 07777U) == 0600);
}

TEST_CASE("a session gives its password to no guard of a stranger") {
    if (::geteuid() != 0) {
        WARN("only root can be another user");
        return;
    }
    constexpr uid_t stranger = 65'534;
    const guard_place place;
    const auto folder = std::filesystem::path(place.socket()).parent_path();
    const bool owns_folder = GENERATE(false, true);
    if (owns_folder)
        REQUIRE(::chown(folder.c_str(), stranger, stranger) == 0);
    else
        std::filesystem::permissions(folder, std::filesystem::perms::all);
    // Built files may lie where a stranger cannot go.
    const auto command = folder / "turnstile";
    std::filesystem::copy_file(TURNSTILE_COMMAND, command);
    child_process guard{
        {.argv = {"setpriv", "--reuid", std::to_string(stranger), "--clear-groups",
                  command.string(), "guard", "--socket", place.socket(), "--mode", "0666"}}};
    await([&] { return ::access(place.socket().c_str(), F_OK) == 0; });
    guarded_holder holder{place, fresh_path("guard")};
    if (owns_folder) {
        holder.await_registered();
    } else {
        holder.await_word("it runs as user 65534, which is neither root nor");
        check_goes_without(holder);
    }
}

TEST_CASE("guard and program may be in different namespaces of process numbers") {
    const std::vector<std::string> own_numbers{
        "unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"};
    auto possible = own_numbers;
    possible.emplace_back("true");
    child_process try_it{{.argv = possible}};
    if (try_it.wait_for_end(20s) != true || try_it.exit_status() != 0) {
        WARN("no namespace of process numbers can be made here");
        return;
    }
    const bool guard_inside = GENERATE(true, false);
    const guard_place place;
    running_guard guard{
        place, {}, {.before = guard_inside ? own_numbers : std::vector<std::string>{}}};
    const auto path = fresh_path("guard");
    guarded_holder holder{
        place, path, {.before = guard_inside ? std::vector<std::string>{} : own_numbers}};
    holder.await_word("held");
    holder.await_registered();
    check_hand_over(holder, path);
    guard.await_word(guard_inside ? "a process of a container is gone" : "is gone");
}

TEST_CASE("systemd is told when a guard is ready") {
    const guard_place place;
    const guard_place other;
    const unique_fd told{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    sockaddr_un at{.sun_family = AF_UNIX, .sun_path = {}};
    std::ranges::copy(other.socket(), at.sun_path);
    REQUIRE(::bind(told.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    running_guard guard{place, {}, {.before = {"env", "NOTIFY_SOCKET=" + other.socket()}}};
    std::string text(100, ' ');
    text.resize(static_cast<std::size_t>(
        std::max<ssize_t>(::recv(told.get(), text.data(), text.size(), MSG_DONTWAIT), 0)));
    CHECK(text == "READY=1");
}

TEST_CASE("a path of systemd's socket that is too long is told with its variable") {
    const guard_place place;
    tool guard{{"guard", "--socket", place.socket()},
               {.before = {"env", "NOTIFY_SOCKET=/" + std::string(200, 'n')}}};
    CHECK(guard.exit_code() == 120);
    CHECK(guard.says("NOTIFY_SOCKET"));
}
