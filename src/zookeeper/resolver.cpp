// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/resolver.hpp"

#include <algorithm>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

resolver::resolver(const session_strand& executor,
                   const std::vector<protocol::server_address>& servers)
    : executor_(executor) {
    for (const auto& server : servers) {
        auto& one = places_.emplace_back();
        one.port = server.port;
        boost::system::error_code not_numeric;
        const auto numeric = asio::ip::make_address(server.host, not_numeric);
        if (not_numeric)
            one.name = std::make_shared<name_lookup>(server.host);
        else
            one.numeric = numeric;
    }
}

bool resolver::look_up(std::size_t server, const std::function<void()>& told) {
    for (std::size_t each = 0; each < places_.size(); ++each)
        if (each != server && !knows(each))
            places_[each].name->start(executor_);
    auto& asked = places_[server];
    if (!asked.name || (asked.tried > 0 && knows(server)))
        return false;
    asked.name->start(executor_, told);
    return true;
}

std::vector<asio::ip::address> resolver::addresses_of(std::size_t server) const {
    const auto& of = places_[server];
    return of.name ? of.name->addresses() : std::vector{*of.numeric};
}

bool resolver::knows_any() const {
    for (std::size_t each = 0; each < places_.size(); ++each)
        if (knows(each))
            return true;
    return false;
}

std::optional<asio::ip::tcp::endpoint> resolver::due(std::size_t server) const {
    const auto known = addresses_of(server);
    const auto& of = places_[server];
    if (known.empty())
        return std::nullopt;
    return asio::ip::tcp::endpoint(known[of.turn % known.size()], of.port);
}

std::string resolver::trouble(std::size_t server) const {
    const auto& of = places_[server];
    return of.name ? of.name->trouble() : "";
}

bool resolver::next(std::size_t server) {
    auto& of = places_[server];
    ++of.turn;
    if (++of.tried < addresses_of(server).size())
        return true;
    of.tried = 0;
    return false;
}

void resolver::served(std::size_t server) {
    ++places_[server].turn;
    places_[server].tried = 0;
}

void resolver::cancel() noexcept {
    for (const auto& each : places_)
        if (each.name)
            each.name->forget();
}

} // namespace turnstile::zookeeper
