#include "target.hpp"

#include "support/four_letter_word.hpp"
#include "support/server_counters.hpp"

namespace turnstile::bench {

target::target(const std::string& servers) : servers_(servers) {
    if (servers_.empty()) {
        // As in production where it counts: the default tick, and the optimising compiler.
        own_.emplace(test::zookeeper_server_options{
            .tick_ms = 2000, .max_session_timeout_ms = 60'000, .heap = "1g", .quick_jvm = false});
        servers_ = own_->address();
        port_ = own_->port();
    }
    first_ = servers_.substr(0, servers_.find_first_of(",/"));
}

void target::reset_counters() const {
    if (port_)
        test::reset_counters(*port_);
}

std::map<std::string, double> target::counters() const {
    return port_ ? test::server_counters::read(*port_).values : std::map<std::string, double>{};
}

} // namespace turnstile::bench
