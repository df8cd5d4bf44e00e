// SPDX-License-Identifier: BSL-1.0
#include "hostile_user.hpp"

#include "guard_client.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace turnstile::test {

namespace hostile {

namespace {

constexpr uid_t uid = 65'534;
constexpr int nowhere = 0x100'000; // ids of sessions that no server knows
constexpr std::string_view with_tls = "tls on\n";

/// What an attack opens stays open until its process ends.
int kept(unique_fd fd) {
    static std::list<unique_fd> all;
    return all.emplace_back(std::move(fd)).get();
}

guard_client& kept_connection(const prey& whom) {
    static std::list<guard_client> all;
    return all.emplace_back(whom.socket);
}

int own() { return kept(descriptor_of(::getpid())); }

void in_a_child(const std::function<void()>& work) {
    const auto child = ::fork();
    if (child == 0) {
        work();
        ::_exit(0);
    }
    ::waitpid(child, nullptr, WUNTRACED);
}

void for_ever(const std::function<void()>& work) {
    for (;;)
        work();
}

/// Registers as it is told, and then the decoy, and dies.
void and_die(const prey& whom, const std::string& text, int first_process = -1) {
    in_a_child([&] {
        auto& client = kept_connection(whom);
        client.send(text, {first_process < 0 ? own() : first_process});
        (void)client.answer();
        auto& other = kept_connection(whom);
        other.send(registration_of(decoy, whom.servers), {own()});
        (void)other.answer();
    });
}

/// Registers `count` sessions of one process.
void many(const prey& whom, int count, const std::string& servers, std::string_view more = {},
          int timeout_ms = 30'000) {
    for (int i = 0; i < count; ++i) {
        auto& client = kept_connection(whom);
        client.send(registration_of(nowhere + i, servers, "process", timeout_ms) +
                        std::string(more),
                    {own()});
        (void)client.answer();
    }
}

void one_by_one(const prey& whom, std::string_view role, const std::vector<int>& descriptors) {
    for (const auto each : descriptors) {
        guard_client client{whom.socket};
        client.send(registration_of(nowhere, whom.servers, "process " + std::string(role)) +
                        std::string(with_tls),
                    {own(), each});
        (void)client.answer();
    }
}

int file(const char* name, int how = O_RDONLY) {
    return kept(unique_fd{::open(name, how | O_CLOEXEC)});
}

std::string folder() {
    std::string name = "/tmp/turnstile-hostile-XXXXXX";
    return ::mkdtemp(name.data());
}

/// Removed at once: its descriptor stays.
int made_file(const std::function<void(const char*)>& make, int how) {
    const auto in = folder();
    const auto name = in + "/file";
    make(name.c_str());
    const int result = file(name.c_str(), how);
    ::unlink(name.c_str());
    ::rmdir(in.c_str());
    return result;
}

int pipe_with_a_name() {
    return made_file([](const char* name) { ::mkfifo(name, 0600); }, O_RDWR);
}

int huge_file() {
    return made_file(
        [](const char* name) {
            const unique_fd made{::open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
            [[maybe_unused]] const auto grown = ::ftruncate(made.get(), off_t{1} << 40);
        },
        O_RDONLY);
}

/// The address of a server that does this with each connection, in a process of its own.
std::string server(const std::function<void(int)>& serve) {
    const int listening = kept(unique_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)});
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(listening, reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
        ::listen(listening, 1'000) != 0 ||
        ::getsockname(listening, reinterpret_cast<sockaddr*>(&at), &size) != 0)
        ::_exit(3);
    if (::fork() == 0)
        for_ever([&] {
            const int peer = ::accept(listening, nullptr, nullptr);
            serve(peer);
        });
    return "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
}

std::string silent_server() {
    return server([](int) {});
}

std::string endless_server() {
    return server([](int peer) {
        const std::string much(1'000'000, '\x11');
        while (::send(peer, much.data(), much.size(), MSG_NOSIGNAL) > 0) {
        }
        ::close(peer);
    });
}

std::string unknown_names(int count) {
    std::string all;
    for (int i = 0; i < count; ++i)
        all += (i == 0 ? "" : ",") + ("host-" + std::to_string(i)) + ".turnstile.invalid:2181";
    return all;
}

void other_process(const prey& whom) {
    const auto text = registration_of(whom.session, whom.servers);
    const auto gone = ::fork();
    if (gone == 0)
        ::pause();
    const int of_gone = kept(descriptor_of(gone));
    ::kill(gone, SIGKILL);
    ::waitpid(gone, nullptr, 0);
    for (const int each : {kept(descriptor_of(whom.process)), kept(descriptor_of(1)), of_gone})
        and_die(whom, text, each);
}

void wrong_kinds(const prey& whom) {
    std::array<int, 2> pipe{};
    std::array<int, 2> pair{};
    if (::pipe(pipe.data()) != 0 || ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) != 0)
        ::_exit(3);
    const std::vector<int> all{pipe[0],
                               pair[0],
                               ::epoll_create1(EPOLL_CLOEXEC),
                               ::eventfd(0, EFD_CLOEXEC),
                               file("/dev/zero"),
                               file("/proc/self/mem", O_RDWR),
                               file("/proc/self/fdinfo/0"),
                               file("/etc/passwd"),
                               file("/etc/passwd", O_PATH),
                               file("/tmp", O_RDONLY | O_DIRECTORY),
                               pipe_with_a_name(),
                               huge_file()};
    for (const auto role : {"process", "authorities", "certificate", "key"})
        one_by_one(whom, role, all);
}

void changing_memory(const prey& whom) {
    const int memory = ::memfd_create("text", MFD_ALLOW_SEALING);
    const auto write = [memory] {
        [[maybe_unused]] const auto written =
            ::pwrite(memory, "-----BEGIN CERTIFICATE-----\n", 28, 0);
        [[maybe_unused]] const auto cut = ::ftruncate(memory, 3);
    };
    if (::fork() == 0)
        for_ever(write);
    for (int i = 0; i < 100; ++i)
        one_by_one(whom, "certificate", {memory});
}

void silent_connections(const prey& whom) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4'000);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    for (rlim_t i = 0; i + 100 < limit.rlim_cur; ++i)
        kept_connection(whom);
}

void garbage(const prey& whom) {
    guard_client client{whom.socket};
    client.try_send(std::string(60'000, '\xff'), {own()});
    guard_client empty{whom.socket};
    empty.try_send("", {own()});
    const auto text = registration_of(nowhere, whom.servers);
    for (std::size_t end = 1; end < text.size(); end += 7) {
        guard_client cut{whom.socket};
        cut.try_send(text.substr(0, end), {own()});
    }
}

void sockets_in_sockets(const prey& whom) {
    std::array<int, 2> outer{};
    for (int i = 0; i < 200; ++i) {
        std::array<int, 2> pair{};
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair.data()) != 0)
            return;
        guard_client client{whom.socket};
        client.try_send(registration_of(nowhere, whom.servers, "process process"),
                        {own(), pair[0]});
        std::swap(outer, pair);
    }
}

/// A connection to there that is full. Its close waits for a day until all has arrived.
int lingering(const sockaddr* to) {
    const int result = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const linger wait{.l_onoff = 1, .l_linger = 86'400};
    ::setsockopt(result, SOL_SOCKET, SO_LINGER, &wait, sizeof wait);
    if (::connect(result, to, sizeof(sockaddr_in)) != 0)
        ::_exit(3);
    const std::string much(100'000, 'x');
    while (::send(result, much.data(), much.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    return result;
}

/// In connections that are closed before anybody has looked at them: by processes that end, for
/// those do not wait.
void lingering_sockets(const prey& whom) {
    const int listening = kept(unique_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)});
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    const auto name = reinterpret_cast<sockaddr*>(&at);
    const int room = 4'096;
    ::setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if (::bind(listening, name, size) != 0 || ::listen(listening, 1'000) != 0 ||
        ::getsockname(listening, name, &size) != 0)
        ::_exit(3);
    for (int i = 0; i < 200; ++i)
        in_a_child([&] {
            guard_client client{whom.socket};
            client.try_send(registration_of(nowhere, whom.servers, "process process"),
                            {own(), lingering(name)});
            ::_exit(0);
        });
}

[[noreturn]] void take_processor() {
    volatile int round = 0;
    for (;;)
        round = round + 1;
}

/// Walks through the set without a pause. What it finds goes to a file that it reads from the disk:
/// so it sleeps while it has the set, and awake again it gets no processor.
[[noreturn]] void have_set(int set, int count) {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
    const auto size = static_cast<std::size_t>(count) * sizeof(epoll_event);
    const auto in = folder();
    const auto name = in + "/file";
    const unique_fd to{::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    ::unlink(name.c_str());
    ::rmdir(in.c_str());
    const std::string zeros(size, '\0');
    if (::write(to.get(), zeros.data(), size) != static_cast<ssize_t>(size))
        ::_exit(3);
    ::fsync(to.get());
    void* const found = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, to.get(), 0);
    ::madvise(found, size, MADV_RANDOM);
    for (;;) {
        ::madvise(found, size, MADV_DONTNEED);
        ::posix_fadvise(to.get(), 0, 0, POSIX_FADV_DONTNEED);
        ::epoll_wait(set, static_cast<epoll_event*>(found), count, 0);
    }
}

/// Who closes the last descriptor of what is in a set of epoll waits for the one that has the set.
void held_descriptors(const prey& whom) {
    constexpr int ready = 700;
    constexpr int sent = 200;
    const int set = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<unique_fd> all;
    for (int i = 0; i < ready + sent; ++i) {
        all.emplace_back(::eventfd(i < ready ? 1 : 0, EFD_CLOEXEC));
        epoll_event what{.events = EPOLLIN, .data = {}};
        if (::epoll_ctl(set, EPOLL_CTL_ADD, all.back().get(), &what) != 0)
            ::_exit(3);
    }
    cpu_set_t one{};
    CPU_SET(0, &one);
    for (int i = 0; i < 40; ++i)
        if (::fork() == 0) {
            ::sched_setaffinity(0, sizeof one, &one);
            all.clear(); // the others are the last ones
            if (i == 0)
                have_set(set, ready);
            // justified: the walk through the set is to sleep in it first, and nothing tells that
            std::this_thread::sleep_for(std::chrono::milliseconds{500});
            take_processor();
        }
    // justified: the same, and the processor is taken then
    std::this_thread::sleep_for(std::chrono::seconds{1});
    for (int i = ready; i < ready + sent; ++i) {
        guard_client client{whom.socket};
        client.try_send(registration_of(nowhere, whom.servers, "process process"),
                        {own(), all[static_cast<std::size_t>(i)].get()});
        all[static_cast<std::size_t>(i)].reset();
        // justified: the pace of the attack
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
}

std::vector<attack> make_attacks() {
    return {
        {.name = "descriptors whose close does not return", .work = held_descriptors},
        {.name = "the session of another, and dies",
         .work = [](const prey& p) { and_die(p, registration_of(p.session, p.servers)); },
         .in_haste = true},
        {.name = "the session of another by another name of its server, and dies",
         .work =
             [](const prey& p) {
                 and_die(p, registration_of(p.session,
                                            "localhost" + p.servers.substr(p.servers.find(':'))));
             }},
        {.name = "the session of another, and lives",
         .work =
             [](const prey& p) {
                 for (int i = 0; i < 10; ++i) {
                     auto& client = kept_connection(p);
                     client.send(registration_of(p.session, p.servers), {own()});
                     (void)client.answer();
                 }
             },
         .in_haste = true},
        {.name = "the session of another with descriptors of other processes, and dies",
         .work = other_process},
        {.name = "a sign-off of what it has not registered",
         .work =
             [](const prey& p) {
                 auto& client = kept_connection(p);
                 client.send("turnstile guard 2 sign-off\n");
                 (void)client.answer();
             }},
        {.name = "253 descriptors in a message",
         .work =
             [](const prey& p) {
                 for (int i = 0; i < 50; ++i)
                     kept_connection(p).try_send(registration_of(nowhere, p.servers),
                                                 std::vector<int>(253, own()));
             }},
        {.name = "descriptors of each other kind", .work = wrong_kinds},
        {.name = "the name of a FIFO as a file of TLS",
         .work =
             [](const prey& p) {
                 const auto name = folder() + "/fifo";
                 ::mkfifo(name.c_str(), 0666);
                 auto& client = kept_connection(p);
                 client.send(registration_of(nowhere, p.servers) + "tls on\ntls-certificate-file " +
                                 name + '\n',
                             {own()});
                 (void)client.answer();
             },
         .in_haste = true},
        {.name = "a FIFO as a file of TLS",
         .work = [](const prey& p) { one_by_one(p, "certificate", {pipe_with_a_name()}); }},
        {.name = "memory that changes as a file of TLS", .work = changing_memory},
        {.name = "sealed memory of a mebibyte as a file of TLS, in a loop",
         .work =
             [](const prey& p) {
                 const auto zeros = sealed_memory(std::string(1'048'576, '\0'));
                 std::string begun;
                 while (begun.size() < 1'000'000)
                     begun += "-----BEGIN CERTIFICATE-----\nMIIB\n";
                 const auto text = sealed_memory(begun);
                 for_ever([&] {
                     guard_client client{p.socket};
                     client.try_send(
                         registration_of(nowhere, p.servers, "process authorities key") +
                             std::string(with_tls),
                         {own(), zeros.get(), text.get()});
                 });
             },
         .goes_on = true},
        {.name = "TLS with the system's authorities, and dies, in a loop",
         .work =
             [](const prey& p) {
                 const auto at = silent_server();
                 for_ever([&] { in_a_child([&] { many(p, 10, at, with_tls); }); });
             },
         .goes_on = true},
        {.name = "hundreds of sessions at a server that is silent, and dies",
         .work =
             [](const prey& p) {
                 const auto at = silent_server();
                 in_a_child([&] { many(p, 300, at); });
             },
         .in_haste = true},
        {.name = "TLS to a server that does not shake hands, and dies",
         .work =
             [](const prey& p) {
                 const auto at = silent_server();
                 in_a_child([&] { many(p, 50, at, with_tls); });
             }},
        {.name = "a server that sends without end, and dies",
         .work =
             [](const prey& p) {
                 const auto at = endless_server();
                 in_a_child([&] { many(p, 50, at); });
             }},
        {.name = "names that nobody knows, and dies",
         .work = [](const prey& p) { in_a_child([&] { many(p, 100, unknown_names(32)); }); }},
        {.name = "thousands of servers",
         .work = [](const prey& p) { many(p, 20, unknown_names(2'000)); }},
        {.name = "connections that say nothing, as many as it may have",
         .work = silent_connections,
         .in_haste = true,
         .goes_on = true}, // the last one waits
        {.name = "connects in a loop",
         .work = [](const prey& p) { for_ever([&] { guard_client{p.socket}; }); },
         .goes_on = true},
        {.name = "garbage, empty messages and such as are cut, in a loop",
         .work = [](const prey& p) { for_ever([&] { garbage(p); }); },
         .goes_on = true},
        {.name = "registers and dies, in a loop",
         .work =
             [](const prey& p) {
                 for_ever([&] { in_a_child([&] { many(p, 1, "127.0.0.1:1"); }); });
             },
         .goes_on = true},
        {.name = "thousands of sessions, and lives",
         .work = [](const prey& p) { many(p, 1'500, "127.0.0.1:1"); },
         .goes_on = true},
        {.name = "reads no answer",
         .work =
             [](const prey& p) {
                 auto& client = kept_connection(p);
                 for_ever([&] {
                     client.try_send(registration_of(nowhere, p.servers), {own()});
                     client.try_send("turnstile guard 2 sign-off\n");
                 });
             },
         .goes_on = true},
        {.name = "sockets, and sockets in them", .work = sockets_in_sockets},
        {.name = "sockets that linger for a day when they are closed",
         .work = lingering_sockets,
         .in_haste = true,
         .waits = true},
        {.name = "timeouts of a millisecond and of a day, and dies",
         .work =
             [](const prey& p) {
                 const auto at = silent_server();
                 in_a_child([&] {
                     many(p, 50, at, {}, 1);
                     many(p, 50, at, {}, 86'400'000);
                 });
             }},
        {.name = "a process that stands still",
         .work =
             [](const prey& p) {
                 in_a_child([&] {
                     many(p, 10, p.servers);
                     ::raise(SIGSTOP);
                 });
             }},
    };
}

// Sockets of the program that was forked: a copy would keep its ports taken, and its peers waiting.
void close_inherited_sockets() {
    std::vector<int> found;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
        found.push_back(std::stoi(each.path().filename().string()));
    for (const int each : found) {
        struct stat what {};
        if (::fstat(each, &what) == 0 && S_ISSOCK(what.st_mode))
            ::close(each);
    }
}

} // namespace

} // namespace hostile

const std::vector<attack>& attacks() {
    static const auto all = hostile::make_attacks();
    return all;
}

hostile_user::hostile_user(const attack& how, const prey& whom) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe2");
    const unique_fd done{ends[0]};
    unique_fd tell{ends[1]};
    process_ = ::fork();
    if (process_ < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (process_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setpgid(0, 0);
        hostile::close_inherited_sockets();
        const unique_fd nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
        for (const int each : {STDOUT_FILENO, STDERR_FILENO})
            ::dup2(nothing.get(), each);
        if (::setgroups(0, nullptr) != 0 ||
            ::setresgid(hostile::uid, hostile::uid, hostile::uid) != 0 ||
            ::setresuid(hostile::uid, hostile::uid, hostile::uid) != 0)
            ::_exit(1);
        const auto is_done = [&] {
            [[maybe_unused]] const auto written = ::write(tell.get(), "", 1);
        };
        try {
            if (how.goes_on)
                is_done();
            how.work(whom);
        } catch (...) { // a guard that does not answer: what could be done is done
        }
        is_done();
        hostile::for_ever([] { ::pause(); });
    }
    ::setpgid(process_, process_);
    tell.reset();
    char none = 0;
    if (::read(done.get(), &none, 1) != 1)
        throw std::runtime_error("the hostile user could not become another user");
}

hostile_user::~hostile_user() {
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
}

} // namespace turnstile::test
