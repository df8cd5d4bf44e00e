// SPDX-License-Identifier: BSL-1.0
#include "network.hpp"

#include "shell.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <stdexcept>

namespace turnstile::chaos {
namespace {

constexpr std::string_view prefix = "turnstile-chaos-";
const std::filesystem::path namespaces_folder = "/run/netns";

std::string number(std::size_t n) { return std::to_string(n); }

/// The second byte of a block of addresses, 10.N.x.y, that no other run has.
unsigned free_subnet() {
    const auto taken = shell::output_of({"ip", "-o", "-4", "addr", "show"}) +
                       shell::output_of({"ip", "-o", "-4", "route", "show"});
    const auto first = static_cast<unsigned>(::getpid()) % 100;
    for (unsigned i = 0; i < 100; ++i) {
        const unsigned subnet = 100 + (first + i) % 100;
        if (taken.find("10." + std::to_string(subnet) + ".") == std::string::npos)
            return subnet;
    }
    throw std::runtime_error{"no free block of addresses"};
}

} // namespace

std::string network::obstacle() {
    if (::geteuid() != 0)
        return "network namespaces need root";
    const auto probe = std::string{prefix} + number(static_cast<std::size_t>(::getpid())) + "-0";
    if (shell::status_of({"ip", "netns", "add", probe}) != 0) {
        return "network namespaces need iproute2 and a kernel that allows them "
               "(ip netns add failed)";
    }
    (void)shell::status_of({"ip", "netns", "del", probe});
    return {};
}

void network::remove_stale() noexcept {
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator{namespaces_folder, failure}) {
        const auto name = entry.path().filename().string();
        pid_t owner = 0;
        if (name.starts_with(prefix) &&
            std::from_chars(name.data() + prefix.size(), name.data() + name.size(), owner).ec ==
                std::errc{} &&
            owner > 0 && ::kill(owner, 0) != 0)
            (void)shell::status_of({"ip", "netns", "del", name});
    }
}

network::network(std::size_t members) : members_{members}, subnet_{free_subnet()} {
    try {
        for (std::size_t i = 0; i < members_; ++i)
            make_member(i);
        for (std::size_t a = 0; a < members_; ++a)
            for (std::size_t b = a + 1; b < members_; ++b)
                make_link(a, b);
    } catch (...) {
        remove();
        throw;
    }
}

network::~network() { remove(); }

void network::remove() noexcept {
    for (std::size_t i = 0; i < members_; ++i)
        (void)shell::status_of({"ip", "netns", "del", name(i)}); // its links go with it
}

std::string network::name(std::size_t member) const {
    return std::string{prefix} + number(static_cast<std::size_t>(::getpid())) + "-" +
           number(member + 1);
}

std::vector<std::string> network::argv_prefix(std::size_t member) const {
    return {"ip", "netns", "exec", name(member)};
}

std::string network::client_host(std::size_t member) const {
    return "10." + number(subnet_) + "." + number(member + 1) + ".2";
}

std::string network::peer_host(std::size_t member) const {
    return "10." + number(subnet_) + ".0." + number(member + 1);
}

void network::make_member(std::size_t member) {
    const auto ns = name(member);
    // A link to the outside, for clients.
    const auto outside = "ts" + number(subnet_) + "s" + number(member + 1);
    const auto gateway = "10." + number(subnet_) + "." + number(member + 1) + ".1";
    shell::run({"ip", "netns", "add", ns});
    // Without this the kernel drops a packet whose way back is cut: it takes it for a forged one.
    shell::run({"ip", "netns", "exec", ns, "sh", "-c",
                "for f in all default; do echo 0 > /proc/sys/net/ipv4/conf/$f/rp_filter; done"});
    shell::run({"ip", "-n", ns, "link", "set", "lo", "up"});
    shell::run({"ip", "-n", ns, "addr", "add", peer_host(member) + "/32", "dev", "lo"});
    shell::run(
        {"ip", "link", "add", outside, "type", "veth", "peer", "name", "clients", "netns", ns});
    shell::run({"ip", "addr", "add", gateway + "/30", "dev", outside});
    shell::run({"ip", "link", "set", outside, "up"});
    shell::run({"ip", "-n", ns, "addr", "add", client_host(member) + "/30", "dev", "clients"});
    shell::run({"ip", "-n", ns, "link", "set", "clients", "up"});
}

void network::make_link(std::size_t a, std::size_t b) {
    shell::run({"ip", "link", "add", "peer-" + number(b + 1), "netns", name(a), "type", "veth",
                "peer", "name", "peer-" + number(a + 1), "netns", name(b)});
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
        shell::run({"ip", "-n", name(from), "link", "set", "peer-" + number(to + 1), "up"});
        route(from, to);
    }
}

void network::route(std::size_t from, std::size_t to) {
    shell::run({"ip", "-n", name(from), "route", "replace", peer_host(to) + "/32", "dev",
                "peer-" + number(to + 1), "src", peer_host(from)});
}

void network::cut(std::size_t from, std::size_t to) {
    shell::run({"ip", "-n", name(from), "route", "replace", "blackhole", peer_host(to) + "/32"});
}

void network::mend(std::size_t from, std::size_t to) { route(from, to); }

void network::mend_all() {
    for (std::size_t a = 0; a < members_; ++a) {
        for (std::size_t b = 0; b < members_; ++b)
            if (a != b)
                mend(a, b);
    }
}

} // namespace turnstile::chaos
