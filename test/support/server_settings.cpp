// SPDX-License-Identifier: BSL-1.0
#include "server_settings.hpp"

#include "foreign_client.hpp"
#include "jaas.hpp"

#include <algorithm>
#include <stdexcept>

namespace turnstile::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* sasl_user = "worker";
constexpr const char* sasl_password = "worker-secret";

/// All servers know the user, and the last one by another password.
void use_other_password(ensemble::options& servers, const fs::path& folder) {
    servers.each = [folder](std::size_t member, std::size_t last, zookeeper_server_options& one) {
        const auto own = folder / ("jaas-" + std::to_string(member + 1));
        fs::create_directories(own);
        know_users(one, own,
                   std::string{"user_"} + sasl_user + "=\"" +
                       (member == last ? "another" : sasl_password) + '"');
    };
}

void set_clocks_apart(ensemble::options& servers) {
    servers.each = [](std::size_t member, std::size_t, zookeeper_server_options& one) {
        one.argv_prefix.insert(one.argv_prefix.end(),
                               {"env", "LD_PRELOAD=" TURNSTILE_CLOCK_AHEAD,
                                "CLOCK_AHEAD=" + std::to_string(7'200 * member)}); // seconds
    };
}

} // namespace

server_settings server_settings_called(std::string_view name) {
    const auto found = std::ranges::find(server_settings_names, name);
    if (found == server_settings_names.end())
        throw std::invalid_argument{"no settings of servers are called " + std::string{name}};
    return static_cast<server_settings>(found - server_settings_names.begin());
}

void use_settings(ensemble::options& servers, server_settings which, const fs::path& folder) {
    auto& properties = servers.server.system_properties;
    switch (which) {
    case server_settings::usual:
        break;
    case server_settings::optimized_watches:
        properties.emplace_back("zookeeper.watchManagerName="
                                "org.apache.zookeeper.server.watch.WatchManagerOptimized");
        break;
    case server_settings::netty:
        properties.emplace_back("zookeeper.serverCnxnFactory="
                                "org.apache.zookeeper.server.NettyServerCnxnFactory");
        break;
    case server_settings::eager_acl_checks:
        properties.emplace_back("zookeeper.enableEagerACLCheck=true");
        break;
    case server_settings::quotas:
        properties.emplace_back("zookeeper.enforceQuota=true");
        break;
    case server_settings::small_buffer:
        properties.emplace_back("jute.maxbuffer=65536");
        break;
    case server_settings::quick_reaper:
        servers.server.container_check_ms = 1'000;
        break;
    case server_settings::other_password:
        use_other_password(servers, folder);
        break;
    case server_settings::clocks_apart:
        set_clocks_apart(servers);
        break;
    }
}

void apply_settings(const ensemble& servers, server_settings which, const std::string& node) {
    if (which != server_settings::quotas)
        return;
    // The limits are far above what tests use: each write is counted, and none is refused.
    foreign_client hand{servers.connect_string()};
    const auto quota = "/zookeeper/quota" + node;
    const std::string limits = "count=-1,bytes=-1=;byteHardLimit=100000000;countHardLimit=100000";
    for (const auto& [path, data] : {std::pair{node, std::string{}},
                                     {quota, std::string{}},
                                     {quota + "/zookeeper_limits", limits},
                                     {quota + "/zookeeper_stats", std::string{"count=1,bytes=0"}}})
        if (const int code = hand.create(path, data); code != 0 && path != node)
            throw std::runtime_error{"no quota: " + path + " cannot be made, code " +
                                     std::to_string(code)};
}

void adapt(session_options& options, server_settings which) {
    if (which == server_settings::other_password)
        options.sasl = sasl_digest_md5{.user = sasl_user, .password = sasl_password};
    options.watch_own_data = which == server_settings::optimized_watches;
}

} // namespace turnstile::test
