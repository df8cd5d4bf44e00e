// SPDX-License-Identifier: BSL-1.0
#include "guard/guard_socket.hpp"

#include "command_failure.hpp"
#include "text/printable.hpp"

#include <fmt/core.h>

#include <endian.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace {

// 32 servers of the longest names take 8 KiB. Each session keeps a copy.
constexpr std::size_t most_text_bytes = 16 * 1024;
constexpr std::size_t most_descriptors = 16;
constexpr int backlog = 1024;

struct unix_address {
    /// `setting`: where the path comes from, for an error.
    unix_address(std::string_view setting, const std::string& path) {
        if (path.size() >= sizeof value.sun_path)
            throw command_failure(exit_code::bad_usage,
                                  fmt::format("{} {} is too long: a socket's path has {} bytes at "
                                              "most",
                                              setting, printable(path), sizeof value.sun_path - 1));
        std::copy(path.begin(), path.end(), value.sun_path);
        size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    }
    const sockaddr* get() const {
        return reinterpret_cast<const sockaddr*>(&value); // NOLINT: as sockets want it
    }

    sockaddr_un value{.sun_family = AF_UNIX, .sun_path = {}};
    socklen_t size = 0;
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw command_failure(exit_code::failed, fmt::format("cannot listen at {}: {}", path, what));
}

unique_fd new_socket() {
    return unique_fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Removes the socket of a guard that was killed, and nothing else: another file may be data.
void remove_stale(const std::string& path, const unix_address& address) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0)
        return;
    if (!S_ISSOCK(found.st_mode))
        fail(printable(path), "there is a file of that name. Name another path");
    const auto probe = new_socket();
    if (::connect(probe.get(), address.get(), address.size) == 0 || errno == EAGAIN)
        fail(printable(path), "a guard is at work there already");
    if (errno != ECONNREFUSED)
        fail(printable(path), errno == EPROTOTYPE
                                  ? "another program's socket is there. Name another path"
                                  : std::strerror(errno));
    ::unlink(path.c_str());
}

} // namespace

guard_socket::guard_socket(std::string path, mode_t mode) : path_(std::move(path)), mode_(mode) {
    const unix_address address("--socket", path_);
    remove_stale(path_, address);
    listening_ = new_socket();
    const auto before = ::umask(~mode & 0777U); // so the file has its mode from the first instant
    const bool bound = ::bind(listening_.get(), address.get(), address.size) == 0;
    const int failed = errno;
    ::umask(before);
    if (!bound)
        fail(printable(path_),
             failed == ENOENT ? "its folder does not exist. Make it first" : std::strerror(failed));
    struct stat made {};
    if (::lstat(path_.c_str(), &made) != 0 || ::listen(listening_.get(), backlog) != 0)
        fail(printable(path_), std::strerror(errno));
    device_ = made.st_dev;
    inode_ = made.st_ino;
}

guard_socket::~guard_socket() {
    struct stat found {};
    if (::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_)
        ::unlink(path_.c_str());
}

// The list has the kernel's form (linux/posix_acl_xattr.h): a version, and entries in the order of
// their tags.
bool guard_socket::shut_out(const std::set<uid_t>& users) {
    struct entry {
        std::uint16_t tag;
        std::uint16_t rights;
        std::uint32_t user;
    };
    constexpr std::uint32_t version = 2;
    const auto last = htole32(version);
    std::string text(reinterpret_cast<const char*>(&last), sizeof last);
    const auto add = [&](std::uint16_t tag, mode_t rights, std::uint32_t user = 0xffff'ffff) {
        const entry next{htole16(tag), htole16(static_cast<std::uint16_t>(rights & 7U)),
                         htole32(user)};
        text.append(reinterpret_cast<const char*>(&next), sizeof next); // NOLINT: its bytes
    };
    add(0x01, mode_ >> 6U); // the owner
    for (const auto each : users)
        add(0x02, 0, each);
    add(0x04, mode_ >> 3U); // the group
    if (!users.empty())
        add(0x10, 7); // the mask: the most that users and group may have
    add(0x20, mode_); // all others
    return ::setxattr(path_.c_str(), "system.posix_acl_access", text.data(), text.size(), 0) == 0;
}

std::optional<guard_request> receive(int socket) {
    guard_request result;
    auto& text = result.text;
    text.resize(most_text_bytes);
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(most_descriptors * sizeof(int))> control{};
    iovec data{.iov_base = text.data(), .iov_len = text.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const auto take = [&] { return ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); };
    auto count = take();
    if (count < 0 &&
        errno == ECONNRESET) // the other side closed and left an answer unread: its text is there
        count = take();
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return std::nullopt;
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0)
        return result;
    result.cut = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    for (auto* each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
            continue;
        std::vector<int> own((each->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        std::memcpy(own.data(), CMSG_DATA(each), own.size() * sizeof(int));
        for (const int fd : own)
            result.descriptors.emplace_back(fd);
    }
    return result;
}

void answer(int socket, std::string_view text) {
    ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

ucred peer_of(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        throw std::system_error(errno, std::generic_category(), "SO_PEERCRED");
    return peer;
}

bool send_descriptor(int socket, int descriptor) {
    char text = 'c';
    iovec data{.iov_base = &text, .iov_len = 1};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof descriptor)> control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    auto* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

void close_all_but(std::vector<int> kept) noexcept {
    std::ranges::sort(kept);
    unsigned first = STDERR_FILENO + 1;
    bool closed = true;
    for (const int each : kept) {
        const auto next = static_cast<unsigned>(each);
        closed = closed && (next <= first || ::close_range(first, next - 1, 0) == 0);
        first = std::max(first, next + 1);
    }
    if (!closed || ::close_range(first, std::numeric_limits<unsigned>::max(), 0) != 0)
        ::_exit(1); // otherwise it would hold other users' connections
}

pid_t fork_apart() {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &before);
    const auto made = ::fork();
    if (made == 0)
        for (const int each : {SIGINT, SIGTERM})
            ::signal(each, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return made;
}

unique_fd close_in_child(std::vector<unique_fd>& all) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return {};
    // When this process is done, it closes the end to write, and the child's read ends.
    const unique_fd end_to_read(ends[0]);
    const unique_fd end_to_write(ends[1]);
    const auto made = fork_apart();
    if (made == 0) {
        std::vector<int> kept{end_to_read.get()};
        for (const auto& each : all)
            kept.push_back(each.get());
        close_all_but(std::move(kept));
        char none = 0;
        while (::read(end_to_read.get(), &none, 1) < 0 && errno == EINTR) {
        }
        ::_exit(0);
    }
    unique_fd ended(made < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, made, 0)));
    if (ended)
        all.clear();
    return ended;
}

boost::asio::posix::stream_descriptor watched(boost::asio::io_context& context, unique_fd& fd) {
    boost::asio::posix::stream_descriptor result(context, fd.get());
    fd.release();
    return result;
}

std::optional<pid_t> process_of_pidfd(int fd) {
    std::ifstream from(fmt::format("/proc/self/fdinfo/{}", fd));
    std::string word;
    pid_t process = 0;
    while (from >> word)
        if (word == "Pid:" && from >> process)
            return process;
    return std::nullopt;
}

void notify_ready() {
    const char* const to = std::getenv("NOTIFY_SOCKET");
    if (!to || (*to != '/' && *to != '@'))
        return;
    unix_address address("NOTIFY_SOCKET", to);
    --address.size; // an abstract name has no zero at its end
    if (*to == '@')
        address.value.sun_path[0] = '\0';
    const unique_fd from(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    constexpr std::string_view ready = "READY=1";
    ::sendto(from.get(), ready.data(), ready.size(), MSG_NOSIGNAL, address.get(), address.size);
}

} // namespace turnstile::command
