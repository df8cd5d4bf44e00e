// SPDX-License-Identifier: BSL-1.0
#include "free_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <fstream>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

namespace turnstile::test {
namespace {

using boost::asio::ip::tcp;

constexpr std::uint16_t lowest_port = 10'240;

/// The last port below those that the kernel gives to outgoing connections.
std::uint16_t highest_port() {
    unsigned first_ephemeral = 0;
    std::ifstream{"/proc/sys/net/ipv4/ip_local_port_range"} >> first_ephemeral;
    const bool usable = first_ephemeral > lowest_port + 1'000U && first_ephemeral <= 65'535U;
    return static_cast<std::uint16_t>(usable ? first_ephemeral - 1 : 32'767U);
}

} // namespace

std::vector<std::uint16_t> free_ports(std::size_t count) {
    static std::mutex mutex;
    static std::set<std::uint16_t> handed_out;
    const std::lock_guard lock{mutex};

    // Random, so that test programs that run side by side do not race for the same ports.
    static std::mt19937 engine{std::random_device{}()};
    std::uniform_int_distribution<unsigned> any_port{lowest_port, highest_port()};

    // Listening on a port keeps others from choosing it meanwhile.
    boost::asio::io_context context;
    std::vector<tcp::acceptor> reserved;
    std::vector<std::uint16_t> result;
    for (int attempt = 0; result.size() < count; ++attempt) {
        if (attempt > 10'000)
            throw std::runtime_error{"no free loopback ports"};
        const auto port = static_cast<std::uint16_t>(any_port(engine));
        if (handed_out.contains(port))
            continue;
        tcp::acceptor acceptor{context, tcp::v4()};
        boost::system::error_code taken;
        acceptor.bind({boost::asio::ip::address_v4::loopback(), port}, taken);
        if (!taken)
            acceptor.listen(1, taken);
        if (taken)
            continue;
        handed_out.insert(port);
        result.push_back(port);
        reserved.push_back(std::move(acceptor));
    }
    return result;
}

std::uint16_t free_port() { return free_ports(1).front(); }

} // namespace turnstile::test
