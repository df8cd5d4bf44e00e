// SPDX-License-Identifier: BSL-1.0
#include "target.hpp"

#include "bare_api.hpp"

#include "support/four_letter_word.hpp"
#include "support/server_counters.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace turnstile::bench {

namespace {

/// User and system time of a process, from fields 14 and 15 of its stat.
double processor_seconds_of(pid_t process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/stat");
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto end_of_name = text.rfind(')');
    if (end_of_name == std::string::npos)
        return 0;
    std::istringstream fields(text.substr(end_of_name + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field)
        fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

} // namespace

target::target(const target_choice& how) : servers_(how.servers), authorities_(how.authorities) {
    if (servers_.empty())
        start(how);
    const auto list = servers_.substr(0, servers_.find('/'));
    const auto first = list.substr(0, list.find(','));
    first_ = first + servers_.substr(list.size());
    if (ensemble_) {
        members_ = ensemble_->addresses();
        for (const auto& each : members_)
            counted_.push_back(parse(each));
    } else {
        counted_.push_back(parse(own_ ? own_->address() : first)); // not by TLS
    }
    if (!authorities_.empty())
        speak_tls(authorities_);
    if (first.size() != list.size() && !ensemble_)
        no_counters_ = "the sessions spread over several servers";
    else
        look_for_counters();
}

void target::start(const target_choice& how) {
    // As in production where it counts: the default tick, and the optimising compiler.
    test::zookeeper_server_options options{.tick_ms = 2000,
                                           .max_session_timeout_ms = 60'000,
                                           .heap = how.ensemble > 1 ? "512m" : "1g",
                                           .quick_jvm = false,
                                           .force_sync = how.fsync};
    if (how.ensemble > 1) {
        ensemble_.emplace(test::ensemble::options{.size = how.ensemble, .server = options});
        servers_ = ensemble_->connect_string();
    } else {
        if (how.tls) {
            certificates_.emplace();
            make_secure(options, *certificates_);
            authorities_ = certificates_->file("ca");
        }
        own_.emplace(options);
        servers_ = how.tls ? own_->secure_address() : own_->address();
    }
}

target::address target::parse(const std::string& text) {
    target::address result{.host = text};
    // A colon before a bracket belongs to an IPv6 text.
    if (const auto colon = text.rfind(':');
        colon != std::string::npos && text.find(']', colon) == std::string::npos) {
        result.host = text.substr(0, colon);
        std::from_chars(text.data() + colon + 1, text.data() + text.size(), result.port);
    }
    if (result.host.starts_with('[') && result.host.ends_with(']'))
        result.host = result.host.substr(1, result.host.size() - 2);
    return result;
}

std::string target::one(std::size_t i) const {
    return ensemble_ ? members_.at(i % members_.size()) : first_;
}

void target::look_for_counters() {
    try {
        const auto now = counters();
        const auto connections = now.find("zk_num_alive_connections");
        if (connections == now.end() || !now.contains("zk_packets_received"))
            no_counters_ = "the server does not answer `mntr` (4lw.commands.whitelist)";
        else if (connections->second > static_cast<double>(counted_.size())) // those that ask
            no_counters_ = "other clients are connected to the server";
    } catch (const std::system_error& e) {
        no_counters_ = std::string("`mntr` fails: ") + e.what();
    }
}

std::map<std::string, double> target::counters() const {
    std::map<std::string, double> sum;
    for (const auto& each : counted_)
        for (const auto& [name, value] : test::server_counters::parse(counters_of(each)).values)
            sum[name] += value;
    return sum;
}

std::string target::version() const {
    constexpr std::string_view name = "zk_version\t";
    std::string answer;
    try {
        answer = counters_of(counted_.front());
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

std::string target::counters_of(const address& which) {
    constexpr std::chrono::seconds limit{5};
    return test::four_letter_word(which.host, which.port, "mntr", limit);
}

std::optional<double> target::processor_seconds() const {
    if (own_)
        return processor_seconds_of(own_->pid());
    if (!ensemble_)
        return {};
    double sum = 0;
    for (std::size_t i = 0; i < ensemble_->size(); ++i)
        sum += processor_seconds_of(ensemble_->server(i).pid());
    return sum;
}

} // namespace turnstile::bench
