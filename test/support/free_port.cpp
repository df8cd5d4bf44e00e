// SPDX-License-Identifier: BSL-1.0
#include "free_port.hpp"

#include "unique_fd.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <fstream>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace turnstile::test {
namespace {

constexpr std::uint16_t lowest_port = 10'240;

/// One below the first port the kernel may choose itself.
std::uint16_t highest_port() {
    unsigned first_ephemeral = 0;
    std::ifstream{"/proc/sys/net/ipv4/ip_local_port_range"} >> first_ephemeral;
    const bool usable = first_ephemeral > lowest_port + 1'000U && first_ephemeral <= 65'535U;
    return static_cast<std::uint16_t>(usable ? first_ephemeral - 1 : 32'767U);
}

/// Empty if the port is taken. Listening on it keeps others from choosing it meanwhile.
unique_fd try_listen(std::uint16_t port) {
    unique_fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (!fd) {
        throw std::system_error{errno, std::generic_category(), "socket"};
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), 1) != 0) {
        return unique_fd{};
    }
    return fd;
}

} // namespace

std::vector<std::uint16_t> free_ports(std::size_t count) {
    static std::mutex mutex;
    static std::set<std::uint16_t> handed_out;
    const std::lock_guard lock{mutex};

    // Random, so that test programs running side by side do not race for the same ports.
    static std::mt19937 engine{std::random_device{}()};
    std::uniform_int_distribution<unsigned> any_port{lowest_port, highest_port()};

    std::vector<unique_fd> reserved;
    std::vector<std::uint16_t> result;
    for (int attempt = 0; result.size() < count; ++attempt) {
        if (attempt > 10'000) {
            throw std::runtime_error{"no free loopback ports"};
        }
        const auto port = static_cast<std::uint16_t>(any_port(engine));
        if (handed_out.contains(port)) {
            continue;
        }
        if (auto fd = try_listen(port)) {
            handed_out.insert(port);
            result.push_back(port);
            reserved.push_back(std::move(fd));
        }
    }
    return result;
}

std::uint16_t free_port() { return free_ports(1).front(); }

} // namespace turnstile::test
