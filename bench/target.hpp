// The server that a run is measured against: the user's, or a private one.
#pragma once

#include "support/zookeeper_server.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace turnstile::bench {

class target {
public:
    /// An empty list starts a private server, which ends with this object.
    explicit target(const std::string& servers);

    const std::string& servers() const { return servers_; }
    /// For the bare client, which takes one address.
    const std::string& first() const { return first_; }

    /// The server's own counters, where it is one whose words we may ask; all of them otherwise
    /// come out as nothing. Reset before, read after.
    bool has_counters() const { return port_.has_value(); }
    void reset_counters() const;
    std::map<std::string, double> counters() const;

private:
    std::optional<test::zookeeper_server> own_;
    std::string servers_;
    std::string first_;
    std::optional<std::uint16_t> port_;
};

} // namespace turnstile::bench
