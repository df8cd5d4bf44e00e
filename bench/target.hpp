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
    /// For the bare client, which takes one address: the first one, with the chroot.
    const std::string& first() const { return first_; }

    /// Whether the server's own counters tell what this process does: it is one server, it answers
    /// `mntr`, and nobody else is connected to it.
    bool has_counters() const { return no_counters_.empty(); }
    /// Why not.
    const std::string& no_counters() const { return no_counters_; }
    /// Read before and after. Never reset: a server that is not ours may be watched by others.
    std::map<std::string, double> counters() const;
    /// The server's, as it tells; "unknown" if it does not.
    std::string version() const;

private:
    std::string counters_text() const;

    void look_for_counters();

    std::optional<test::zookeeper_server> own_;
    std::string servers_;
    std::string first_;
    std::string host_;
    std::uint16_t port_ = 2181;
    std::string no_counters_;
};

} // namespace turnstile::bench
