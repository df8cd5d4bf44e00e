// SPDX-License-Identifier: BSL-1.0
#include "guard_client.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

namespace turnstile::test {

namespace {

/// Throws errno unless that is good. (A check of a test would not work in a forked process.)
void need(bool good, const char* what) {
    if (!good)
        throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un result{};
    result.sun_family = AF_UNIX;
    need(path.size() < sizeof result.sun_path, "the path of a socket");
    std::memcpy(result.sun_path, path.data(), path.size());
    return result;
}

} // namespace

guard_client::guard_client(const std::string& socket)
    : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    const auto to = address_of(socket);
    need(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0,
         "connect");
}

void guard_client::send(std::string_view text, const std::vector<int>& descriptors) {
    need(try_send(text, descriptors), "sendmsg");
}

bool guard_client::try_send(std::string_view text, const std::vector<int>& descriptors) {
    iovec data{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    std::vector<std::byte> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        auto* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
    }
    return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::string guard_client::answer() {
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    need(::poll(&ready, 1, 20'000) == 1, "no answer of the guard");
    std::array<char, 1000> text{};
    const auto count = ::recv(socket_.get(), text.data(), text.size(), 0);
    return count <= 0 ? "" : std::string(text.data(), static_cast<std::size_t>(count) - 1);
}

unique_fd descriptor_of(pid_t process) {
    return unique_fd{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
}

std::string registration(std::string_view servers, int number, int timeout_ms) {
    return registration_of(0x100'000 + number, servers, "process", timeout_ms);
}

std::string registration_of(std::int64_t session, std::string_view servers, std::string_view roles,
                            int timeout_ms) {
    std::ostringstream text;
    text << "turnstile guard 2 register\ndescriptors " << roles << "\nservers " << servers
         << "\nsession " << std::hex << session << "\ntimeout " << std::dec << timeout_ms
         << "\npassword 00112233445566778899aabbccddeeff\n";
    return std::move(text).str();
}

bool register_and_end(const std::string& socket, const std::vector<std::string>& texts,
                      const std::vector<int>& more) {
    const auto child = ::fork();
    need(child >= 0, "fork");
    if (child == 0) {
        const auto own = descriptor_of(::getpid());
        std::vector<int> sent{own.get()};
        sent.insert(sent.end(), more.begin(), more.end());
        std::vector<guard_client> clients;
        for (const auto& text : texts) {
            clients.emplace_back(socket).send(text, sent);
            if (clients.back().answer() != "ok")
                ::_exit(1);
        }
        ::_exit(0);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && status == 0;
}

unique_fd sealed_memory(std::string_view text) {
    unique_fd result{::memfd_create("text", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    need(::write(result.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
         "write");
    need(::fcntl(result.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0,
         "seal");
    return result;
}

unique_fd listening_socket(const std::string& path, int kind) {
    unique_fd result{::socket(AF_UNIX, kind | SOCK_CLOEXEC, 0)};
    const auto at = address_of(path);
    need(::bind(result.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0, "bind");
    need(::listen(result.get(), 10) == 0, "listen");
    return result;
}

} // namespace turnstile::test
