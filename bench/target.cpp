#include "target.hpp"

#include "support/four_letter_word.hpp"
#include "support/server_counters.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

namespace turnstile::bench {

target::target(const std::string& servers) : servers_(servers) {
    if (servers_.empty()) {
        // As in production where it counts: the default tick, and the optimising compiler.
        own_.emplace(test::zookeeper_server_options{
            .tick_ms = 2000, .max_session_timeout_ms = 60'000, .heap = "1g", .quick_jvm = false});
        servers_ = own_->address();
    }
    const auto list = servers_.substr(0, servers_.find('/'));
    const auto address = list.substr(0, list.find(','));
    first_ = address + servers_.substr(list.size());
    host_ = address;
    // A colon before a bracket belongs to an IPv6 address.
    if (const auto colon = address.rfind(':');
        colon != std::string::npos && address.find(']', colon) == std::string::npos) {
        host_ = address.substr(0, colon);
        std::from_chars(address.data() + colon + 1, address.data() + address.size(), port_);
    }
    if (host_.starts_with('[') && host_.ends_with(']'))
        host_ = host_.substr(1, host_.size() - 2);
    if (address.size() != list.size())
        no_counters_ = "the sessions spread over several servers";
    else
        look_for_counters();
}

void target::look_for_counters() {
    try {
        const auto now = counters();
        const auto connections = now.find("zk_num_alive_connections");
        if (connections == now.end() || !now.contains("zk_packets_received"))
            no_counters_ = "the server does not answer `mntr` (4lw.commands.whitelist)";
        else if (connections->second > 1) // the one that asks
            no_counters_ = "other clients are connected to the server";
    } catch (const std::system_error& e) {
        no_counters_ = std::string("`mntr` fails: ") + e.what();
    }
}

std::map<std::string, double> target::counters() const {
    return test::server_counters::parse(counters_text()).values;
}

std::string target::version() const {
    constexpr std::string_view name = "zk_version\t";
    std::string answer;
    try {
        answer = counters_text();
    } catch (const std::system_error&) {
        answer.clear(); // as from a server that does not know the word
    }
    const auto begin = answer.find(name);
    if (begin == std::string::npos)
        return "unknown";
    const auto found = answer.substr(begin + name.size());
    return found.substr(0,
                        found.find_first_of("-,\n")); // without its commit and the day of its build
}

std::string target::counters_text() const {
    constexpr std::chrono::seconds limit{5};
    return test::four_letter_word(host_, port_, "mntr", limit);
}

} // namespace turnstile::bench
