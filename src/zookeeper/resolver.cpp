// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/resolver.hpp"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

namespace {

asio::ip::address address_of(const addrinfo& found) {
    asio::ip::tcp::endpoint to;
    to.resize(found.ai_addrlen);
    std::memcpy(to.data(), found.ai_addr, found.ai_addrlen);
    return to.address();
}

std::string text_of(int failed, int system_error) {
    return failed == EAI_SYSTEM ? std::generic_category().message(system_error)
                                : ::gai_strerror(failed);
}

// getaddrinfo cannot be cancelled, and may take half a minute.
found_addresses addresses_of(const std::string& name) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM; // each address once
    addrinfo* first = nullptr;
    const int failed = ::getaddrinfo(name.c_str(), nullptr, &hints, &first);
    const int system_error = errno;
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(first, &::freeaddrinfo);
    found_addresses found{.wrong = failed == 0 ? "" : text_of(failed, system_error)};
    for (const auto* each = first; each; each = each->ai_next)
        if (each->ai_family == AF_INET || each->ai_family == AF_INET6)
            found.addresses.push_back(address_of(*each));
    return found;
}

} // namespace

resolver::place::place(const protocol::server_address& server)
    : name(server.host), port(server.port) {
    boost::system::error_code not_numeric;
    const auto address = asio::ip::make_address(name, not_numeric);
    is_numeric = !not_numeric;
    if (is_numeric)
        addresses.push_back(address);
}

resolver::resolver(const session_strand& executor,
                   const std::vector<protocol::server_address>& servers)
    : executor_(executor) {
    for (const auto& server : servers)
        places_.push_back(std::make_shared<place>(server));
}

// Asio's resolver would look up the names of a context one after the other, and its destructor
// would wait for them. Here each name has a worker.
void resolver::ask(const std::shared_ptr<place>& which) {
    if (which->worker->is_awaited())
        return; // the answer that is on its way serves as well
    which->worker->start(
        executor_, [name = which->name] { return addresses_of(name); },
        [weak = std::weak_ptr(which)](found_addresses found) {
            const auto asked = weak.lock();
            if (!asked)
                return;
            asked->trouble = std::move(found.wrong);
            if (!found.addresses.empty())
                asked->addresses = std::move(found.addresses);
            if (const auto done = std::exchange(asked->done, nullptr))
                done();
        });
}

bool resolver::look_up(std::size_t server, const std::function<void()>& done) {
    for (std::size_t each = 0; each < places_.size(); ++each)
        if (each != server && !knows(each))
            ask(places_[each]);
    const auto& asked = places_[server];
    if (asked->is_numeric || (asked->tried > 0 && knows(server)))
        return false;
    asked->done = done;
    ask(asked);
    return true;
}

bool resolver::knows_any() const {
    for (std::size_t each = 0; each < places_.size(); ++each)
        if (knows(each))
            return true;
    return false;
}

std::optional<asio::ip::tcp::endpoint> resolver::due(std::size_t server) const {
    const auto& of = *places_[server];
    if (of.addresses.empty())
        return std::nullopt;
    return asio::ip::tcp::endpoint(of.addresses[of.turn % of.addresses.size()], of.port);
}

bool resolver::next(std::size_t server) {
    auto& of = *places_[server];
    ++of.turn;
    if (++of.tried < of.addresses.size())
        return true;
    of.tried = 0;
    return false;
}

void resolver::served(std::size_t server) {
    ++places_[server]->turn;
    places_[server]->tried = 0;
}

void resolver::cancel() noexcept {
    for (const auto& each : places_) {
        each->worker->forget();
        each->done = nullptr;
    }
}

} // namespace turnstile::zookeeper
