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

constexpr uid_t uid = 65'534;              // nobody
constexpr int unknown_session = 0x100'000; // from here on ids of sessions that no server knows
constexpr std::string_view with_tls = "tls on\n";

/// Keeps the descriptor open until the process ends.
int keep_open(unique_fd fd) {
    static std::list<unique_fd> all;
    return all.emplace_back(std::move(fd)).get();
}

/// A connection to the guard that stays open until the process ends.
guard_client& open_connection(const prey& whom) {
    static std::list<guard_client> all;
    return all.emplace_back(whom.socket);
}

int own_descriptor() { return keep_open(descriptor_of(::getpid())); }

void run_in_child(const std::function<void()>& work) {
    const auto child = ::fork();
    if (child == 0) {
        work();
        ::_exit(0);
    }
    ::waitpid(child, nullptr, WUNTRACED);
}

void repeat_for_ever(const std::function<void()>& work) {
    for (;;)
        work();
}

/// Makes a process that sends this registration and that of the decoy, and dies.
void register_and_die(const prey& whom, const std::string& text, int first_process = -1) {
    run_in_child([&] {
        auto& client = open_connection(whom);
        client.send(text, {first_process < 0 ? own_descriptor() : first_process});
        (void)client.answer();
        auto& other = open_connection(whom);
        other.send(registration_of(decoy, whom.servers), {own_descriptor()});
        (void)other.answer();
    });
}

/// Registers so many sessions of this process, each on a connection that stays open.
void register_many(const prey& whom, int count, const std::string& servers,
                   std::string_view more = {}, int timeout_ms = 30'000) {
    for (int i = 0; i < count; ++i) {
        auto& client = open_connection(whom);
        client.send(registration_of(unknown_session + i, servers, "process", timeout_ms) +
                        std::string(more),
                    {own_descriptor()});
        (void)client.answer();
    }
}

/// Sends a registration with TLS for each descriptor, which is to be a file of that role.
void register_one_by_one(const prey& whom, std::string_view role,
                         const std::vector<int>& descriptors) {
    for (const auto each : descriptors) {
        guard_client client{whom.socket};
        client.send(registration_of(unknown_session, whom.servers, "process " + std::string(role)) +
                        std::string(with_tls),
                    {own_descriptor(), each});
        (void)client.answer();
    }
}

int open_file(const char* name, int how = O_RDONLY) {
    return keep_open(unique_fd{::open(name, how | O_CLOEXEC)});
}

std::string make_folder() {
    std::string name = "/tmp/turnstile-hostile-XXXXXX";
    return ::mkdtemp(name.data());
}

/// Makes a file, opens it and removes its name: only the descriptor stays.
int open_unlinked(const std::function<void(const char*)>& make, int how) {
    const auto in = make_folder();
    const auto name = in + "/file";
    make(name.c_str());
    const int result = open_file(name.c_str(), how);
    ::unlink(name.c_str());
    ::rmdir(in.c_str());
    return result;
}

int make_fifo() {
    return open_unlinked([](const char* name) { ::mkfifo(name, 0600); }, O_RDWR);
}

int make_huge_file() {
    return open_unlinked(
        [](const char* name) {
            const unique_fd made{::open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
            [[maybe_unused]] const auto grown = ::ftruncate(made.get(), off_t{1} << 40);
        },
        O_RDONLY);
}

/// Starts a server in a process of its own, which does this with each connection. Returns its
/// address.
std::string start_server(const std::function<void(int)>& serve) {
    const int listening = keep_open(unique_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)});
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(listening, reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
        ::listen(listening, 1'000) != 0 ||
        ::getsockname(listening, reinterpret_cast<sockaddr*>(&at), &size) != 0)
        ::_exit(3);
    if (::fork() == 0)
        repeat_for_ever([&] {
            const int peer = ::accept(listening, nullptr, nullptr);
            if (peer < 0)
                ::pause(); // no descriptor is left: what it has taken stays open
            serve(peer);
        });
    return "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
}

/// It takes connections, and neither reads nor answers.
std::string start_silent_server() {
    return start_server([](int) {});
}

std::string start_endless_server() {
    return start_server([](int peer) {
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

void register_other_processes(const prey& whom) {
    const auto text = registration_of(whom.session, whom.servers);
    const auto gone = ::fork();
    if (gone == 0)
        ::pause();
    const int of_gone = keep_open(descriptor_of(gone));
    ::kill(gone, SIGKILL);
    ::waitpid(gone, nullptr, 0);
    for (const int each :
         {keep_open(descriptor_of(whom.process)), keep_open(descriptor_of(1)), of_gone})
        register_and_die(whom, text, each);
}

void send_wrong_kinds(const prey& whom) {
    std::array<int, 2> pipe{};
    std::array<int, 2> pair{};
    if (::pipe(pipe.data()) != 0 || ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) != 0)
        ::_exit(3);
    const std::vector<int> all{pipe[0],
                               pair[0],
                               ::epoll_create1(EPOLL_CLOEXEC),
                               ::eventfd(0, EFD_CLOEXEC),
                               open_file("/dev/zero"),
                               open_file("/proc/self/mem", O_RDWR),
                               open_file("/proc/self/fdinfo/0"),
                               open_file("/etc/passwd"),
                               open_file("/etc/passwd", O_PATH),
                               open_file("/tmp", O_RDONLY | O_DIRECTORY),
                               make_fifo(),
                               make_huge_file()};
    for (const auto role : {"process", "authorities", "certificate", "key"})
        register_one_by_one(whom, role, all);
}

void send_changing_memory(const prey& whom) {
    const int memory = ::memfd_create("text", MFD_ALLOW_SEALING);
    const auto write = [memory] {
        [[maybe_unused]] const auto written =
            ::pwrite(memory, "-----BEGIN CERTIFICATE-----\n", 28, 0);
        [[maybe_unused]] const auto cut = ::ftruncate(memory, 3);
    };
    if (::fork() == 0)
        repeat_for_ever(write);
    for (int i = 0; i < 100; ++i)
        register_one_by_one(whom, "certificate", {memory});
}

void open_silent_connections(const prey& whom) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4'000);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    for (rlim_t i = 0; i + 100 < limit.rlim_cur; ++i)
        open_connection(whom);
}

void send_garbage(const prey& whom) {
    guard_client client{whom.socket};
    client.try_send(std::string(60'000, '\xff'), {own_descriptor()});
    guard_client empty{whom.socket};
    empty.try_send("", {own_descriptor()});
    const auto text = registration_of(unknown_session, whom.servers);
    for (std::size_t end = 1; end < text.size(); end += 7) {
        guard_client cut{whom.socket};
        cut.try_send(text.substr(0, end), {own_descriptor()});
    }
}

void nest_sockets(const prey& whom) {
    std::array<int, 2> outer{};
    for (int i = 0; i < 200; ++i) {
        std::array<int, 2> pair{};
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair.data()) != 0)
            return;
        guard_client client{whom.socket};
        client.try_send(registration_of(unknown_session, whom.servers, "process process"),
                        {own_descriptor(), pair[0]});
        std::swap(outer, pair);
    }
}

/// A connection to there whose buffers are full. Its close waits for a day until all has arrived.
int lingering_socket(const sockaddr* to) {
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

/// Sends lingering sockets in connections that are closed before the guard has looked at them. The
/// last descriptors are then those in the messages. Processes that end close theirs without a wait.
void send_lingering_sockets(const prey& whom) {
    const int listening = keep_open(unique_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)});
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
        run_in_child([&] {
            guard_client client{whom.socket};
            client.try_send(registration_of(unknown_session, whom.servers, "process process"),
                            {own_descriptor(), lingering_socket(name)});
            ::_exit(0);
        });
}

[[noreturn]] void use_up_processor() {
    volatile int round = 0;
    for (;;)
        round = round + 1;
}

/// Walks through a set of epoll without a pause. The kernel writes what it finds into a mapped file
/// that must be read from the disk first. So this process sleeps while it has the set locked, and
/// when it wakes it gets no processor.
[[noreturn]] void walk_set(int set, int count) {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
    const auto size = static_cast<std::size_t>(count) * sizeof(epoll_event);
    const auto in = make_folder();
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

/// Sends descriptors whose close does not return: a process that closes the last descriptor of what
/// is in a set of epoll waits for the one that has the set locked.
void send_held_descriptors(const prey& whom) {
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
            all.clear(); // the parent has the last ones
            if (i == 0)
                walk_set(set, ready);
            // justified: walk_set() is to sleep in the set first, and nothing tells when it does
            std::this_thread::sleep_for(std::chrono::milliseconds{500});
            use_up_processor();
        }
    // justified: the same, and then the processor is to be used up
    std::this_thread::sleep_for(std::chrono::seconds{1});
    for (int i = ready; i < ready + sent; ++i) {
        guard_client client{whom.socket};
        client.try_send(registration_of(unknown_session, whom.servers, "process process"),
                        {own_descriptor(), all[static_cast<std::size_t>(i)].get()});
        all[static_cast<std::size_t>(i)].reset();
        // justified: the pace of the attack
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
}

std::vector<attack> make_attacks() {
    return {
        {.name = "descriptors whose close does not return", .work = send_held_descriptors},
        {.name = "the session of another, and dies",
         .work = [](const prey& p) { register_and_die(p, registration_of(p.session, p.servers)); },
         .in_each_run = true},
        {.name = "the session of another by another name of its server, and dies",
         .work =
             [](const prey& p) {
                 register_and_die(
                     p, registration_of(p.session,
                                        "localhost" + p.servers.substr(p.servers.find(':'))));
             }},
        {.name = "the session of another, and lives",
         .work =
             [](const prey& p) {
                 for (int i = 0; i < 10; ++i) {
                     auto& client = open_connection(p);
                     client.send(registration_of(p.session, p.servers), {own_descriptor()});
                     (void)client.answer();
                 }
             },
         .in_each_run = true},
        {.name = "the session of another with descriptors of other processes, and dies",
         .work = register_other_processes},
        {.name = "a sign-off of what it has not registered",
         .work =
             [](const prey& p) {
                 auto& client = open_connection(p);
                 client.send("turnstile guard 2 sign-off\n");
                 (void)client.answer();
             }},
        {.name = "253 descriptors in a message",
         .work =
             [](const prey& p) {
                 for (int i = 0; i < 50; ++i)
                     open_connection(p).try_send(registration_of(unknown_session, p.servers),
                                                 std::vector<int>(253, own_descriptor()));
             }},
        {.name = "descriptors of each other kind", .work = send_wrong_kinds},
        {.name = "the name of a FIFO as a file of TLS",
         .work =
             [](const prey& p) {
                 const auto name = make_folder() + "/fifo";
                 ::mkfifo(name.c_str(), 0666);
                 auto& client = open_connection(p);
                 client.send(registration_of(unknown_session, p.servers) +
                                 "tls on\ntls-certificate-file " + name + '\n',
                             {own_descriptor()});
                 (void)client.answer();
             },
         .in_each_run = true},
        {.name = "a FIFO as a file of TLS",
         .work = [](const prey& p) { register_one_by_one(p, "certificate", {make_fifo()}); }},
        {.name = "memory that changes as a file of TLS", .work = send_changing_memory},
        {.name = "sealed memory of a mebibyte as a file of TLS, in a loop",
         .work =
             [](const prey& p) {
                 const auto zeros = sealed_memory(std::string(1'048'576, '\0'));
                 std::string begun;
                 while (begun.size() < 1'000'000)
                     begun += "-----BEGIN CERTIFICATE-----\nMIIB\n";
                 const auto text = sealed_memory(begun);
                 repeat_for_ever([&] {
                     guard_client client{p.socket};
                     client.try_send(
                         registration_of(unknown_session, p.servers, "process authorities key") +
                             std::string(with_tls),
                         {own_descriptor(), zeros.get(), text.get()});
                 });
             },
         .never_returns = true},
        {.name = "TLS with the system's authorities, and dies, in a loop",
         .work =
             [](const prey& p) {
                 const auto at = start_silent_server();
                 repeat_for_ever(
                     [&] { run_in_child([&] { register_many(p, 10, at, with_tls); }); });
             },
         .never_returns = true},
        {.name = "hundreds of sessions at a server that is silent, and dies",
         .work =
             [](const prey& p) {
                 const auto at = start_silent_server();
                 run_in_child([&] { register_many(p, 300, at); });
             },
         .in_each_run = true},
        {.name = "TLS to a server that does not shake hands, and dies",
         .work =
             [](const prey& p) {
                 const auto at = start_silent_server();
                 run_in_child([&] { register_many(p, 50, at, with_tls); });
             }},
        {.name = "a server that sends without end, and dies",
         .work =
             [](const prey& p) {
                 const auto at = start_endless_server();
                 run_in_child([&] { register_many(p, 50, at); });
             }},
        {.name = "names that nobody knows, and dies",
         .work =
             [](const prey& p) {
                 run_in_child([&] { register_many(p, 100, unknown_names(32)); });
             }},
        {.name = "thousands of servers",
         .work = [](const prey& p) { register_many(p, 20, unknown_names(2'000)); }},
        {.name = "connections that say nothing, as many as it may have",
         .work = open_silent_connections,
         .in_each_run = true,
         .never_returns = true}, // the last one waits
        {.name = "connects in a loop",
         .work = [](const prey& p) { repeat_for_ever([&] { guard_client{p.socket}; }); },
         .never_returns = true},
        {.name = "garbage, empty messages and such as are cut, in a loop",
         .work = [](const prey& p) { repeat_for_ever([&] { send_garbage(p); }); },
         .never_returns = true},
        {.name = "registers and dies, in a loop",
         .work =
             [](const prey& p) {
                 repeat_for_ever(
                     [&] { run_in_child([&] { register_many(p, 1, "127.0.0.1:1"); }); });
             },
         .never_returns = true},
        {.name = "thousands of sessions, and lives",
         .work = [](const prey& p) { register_many(p, 1'500, "127.0.0.1:1"); },
         .never_returns = true},
        {.name = "reads no answer",
         .work =
             [](const prey& p) {
                 auto& client = open_connection(p);
                 repeat_for_ever([&] {
                     client.try_send(registration_of(unknown_session, p.servers),
                                     {own_descriptor()});
                     client.try_send("turnstile guard 2 sign-off\n");
                 });
             },
         .never_returns = true},
        {.name = "sockets, and sockets in them", .work = nest_sockets},
        {.name = "sockets that linger for a day when they are closed",
         .work = send_lingering_sockets,
         .in_each_run = true,
         .guard_frozen = true},
        {.name = "timeouts of a millisecond and of a day, and dies",
         .work =
             [](const prey& p) {
                 const auto at = start_silent_server();
                 run_in_child([&] {
                     register_many(p, 50, at, {}, 1);
                     register_many(p, 50, at, {}, 86'400'000);
                 });
             }},
        {.name = "a process that stands still",
         .work =
             [](const prey& p) {
                 run_in_child([&] {
                     register_many(p, 10, p.servers);
                     ::raise(SIGSTOP);
                 });
             }},
    };
}

// The sockets of the program that was forked: copies would keep its ports in use, and would keep
// connections open that it closes.
void close_inherited_sockets() {
    std::vector<int> descriptors;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
        descriptors.push_back(std::stoi(each.path().filename().string()));
    for (const int each : descriptors) {
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
        const auto tell_parent = [&] {
            [[maybe_unused]] const auto written = ::write(tell.get(), "", 1);
        };
        try {
            if (how.never_returns)
                tell_parent();
            how.work(whom);
        } catch (...) { // the guard does not answer, and no more can be done
        }
        tell_parent();
        hostile::repeat_for_ever([] { ::pause(); });
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
