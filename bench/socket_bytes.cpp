// SPDX-License-Identifier: BSL-1.0
#include "socket_bytes.hpp"

#include <linux/tcp.h> // the C library's own header has a tcp_info without these counts
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace turnstile::bench {

namespace {

/// Nothing if this is no TCP socket, or if the kernel does not count its bytes (before Linux 4.2).
std::optional<tcp_info> info_of(int fd) {
    tcp_info info{};
    socklen_t size = sizeof(info);
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return {};
    if (size < offsetof(tcp_info, tcpi_bytes_received) + sizeof(info.tcpi_bytes_received))
        return {};
    return info;
}

constexpr int established = 1; // TCP_ESTABLISHED, which the C library's header has

} // namespace

socket_bytes::counts& socket_bytes::counts::operator+=(const counts& more) {
    received += more.received;
    sent += more.sent;
    return *this;
}

socket_bytes::counts socket_bytes::counts::operator-(const counts& less) const {
    return {.received = received - less.received, .sent = sent - less.sent};
}

std::set<int> socket_bytes::connections() {
    std::set<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int fd = std::stoi(entry.path().filename().string());
        if (const auto info = info_of(fd); info && info->tcpi_state == established)
            found.insert(fd);
    }
    return found;
}

void socket_bytes::take_all_but(const std::set<int>& others) {
    for (const int fd : connections())
        if (!others.contains(fd))
            ours_.insert(fd);
}

std::optional<socket_bytes::counts> socket_bytes::now() const {
    if (ours_.empty())
        return {};
    counts all;
    for (const int fd : ours_) {
        const auto info = info_of(fd);
        if (!info || info->tcpi_state != established)
            return {};
        all += {.received = info->tcpi_bytes_received, .sent = info->tcpi_bytes_acked};
    }
    return all;
}

} // namespace turnstile::bench
