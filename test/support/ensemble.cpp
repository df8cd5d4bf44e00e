// SPDX-License-Identifier: BSL-1.0
#include "ensemble.hpp"

#include "free_port.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace turnstile::test {
namespace {

constexpr const char* down = "down"; // killed or paused: no answer is expected

} // namespace

ensemble::ensemble(const options& how) {
    const auto ports = free_ports(3 * how.size);
    auto places = how.places;
    places.resize(how.size);
    std::vector<std::string> lines{"initLimit=" + std::to_string(how.init_limit_ticks),
                                   "syncLimit=" + std::to_string(how.sync_limit_ticks)};
    for (std::size_t i = 0; i < how.size; ++i) {
        lines.push_back(
            "server." + std::to_string(i + 1) + "=" + places[i].peer_host + ":" +
            std::to_string(ports[how.size + 2 * i]) + ":" +
            std::to_string(ports[how.size + 2 * i + 1]) +
            (how.changes ? ":participant;" + places[i].client_host + ":" + std::to_string(ports[i])
                         : ""));
    }
    for (std::size_t i = 0; i < how.size; ++i) {
        auto each = how.server;
        each.port = ports[i];
        each.server_id = static_cast<int>(i + 1);
        each.ensemble_lines = lines;
        each.argv_prefix = places[i].argv_prefix;
        each.host = places[i].client_host;
        each.data_folder = places[i].data_folder;
        if (how.changes) {
            each.config_lines.emplace_back("reconfigEnabled=true");
            each.system_properties.emplace_back("zookeeper.skipACL=yes");
        }
        if (how.each)
            how.each(i, how.size - 1, each);
        servers_.push_back(
            std::make_unique<zookeeper_server>(std::move(each), zookeeper_server::not_started));
        servers_.back()->launch();
    }
    wait_until_serving(how.server.start_limit);
}

std::vector<std::string> ensemble::addresses() const {
    std::vector<std::string> result;
    for (const auto& server : servers_)
        result.push_back(server->address());
    return result;
}

std::string ensemble::connect_string() const {
    std::string result;
    for (const auto& server : servers_)
        result += (result.empty() ? "" : ",") + server->address();
    return result;
}

std::vector<std::string> ensemble::modes() {
    std::vector<std::string> result;
    for (const auto& server : servers_) {
        const bool answers = server->launched() && !server->paused();
        result.push_back(answers ? server->mode() : down);
    }
    return result;
}

void ensemble::wait_until_serving(std::chrono::seconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const auto now = modes();
        if (std::count(now.begin(), now.end(), "leader") == 1 &&
            std::find(now.begin(), now.end(), "") == now.end())
            return;
        if (std::chrono::steady_clock::now() >= deadline) {
            std::string message = "the ensemble does not serve";
            for (std::size_t i = 0; i < size(); ++i) {
                message += "; member " + std::to_string(i) + " is '" + now[i] +
                           "' and its log ends:\n" + servers_[i]->log_tail(1500);
            }
            throw std::runtime_error{message};
        }
        // justified: a server tells only who asks
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
}

std::size_t ensemble::leader() {
    for (;;) {
        wait_until_serving();
        const auto now = modes();
        const auto found = std::find(now.begin(), now.end(), "leader");
        if (found != now.end())
            return static_cast<std::size_t>(found - now.begin());
    }
}

std::vector<std::size_t> ensemble::followers() {
    wait_until_serving();
    const auto now = modes();
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (now[i] == "follower")
            result.push_back(i);
    return result;
}

} // namespace turnstile::test
