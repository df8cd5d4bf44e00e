// SPDX-License-Identifier: BSL-1.0
// Reads the lines of a history that proxies wrote. support/wire_notes.hpp explains them.
#pragma once

#include "history.hpp"
#include "line_fields.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace turnstile::check {

using namespace line_fields;

/// Adds these lines to a history: connections of sessions, and what servers told on them of nodes.
/// The reader of histories (history.cpp) owns it, and gives it each line in the order of its proxy.
class proxy_lines {
public:
    explicit proxy_lines(history& out) : out_{out} {}

    /// Throws std::runtime_error if the line makes no sense after those before it.
    void line(instant t, const std::string& proxy, const std::string& kind,
              const boost::json::object& it) {
        const std::pair link{proxy, it.at("link").to_number<std::int64_t>()};
        if (kind == "connected") {
            if (!index_by_link_.emplace(link, out_.connections.size()).second)
                throw std::runtime_error{"connected twice"};
            out_.connections.push_back({hex(it, "session"), {t, never}});
            return;
        }
        const auto connection = index_by_link_.find(link);
        if (kind == "closed") {
            if (connection != index_by_link_.end()) // otherwise it never led to a session
                out_.connections[connection->second].open.to = t;
            return;
        }
        if (connection == index_by_link_.end())
            throw std::runtime_error{"never connected"};
        if (kind == "event")
            out_.notices.push_back({t, connection->second, text(it, "path")});
        else if (kind == "gone")
            out_.gone.push_back({t, connection->second, text(it, "path")});
        else if (kind == "lost")
            out_.unheard.push_back({t, connection->second, text(it, "path")});
    }

private:
    history& out_;
    /// By proxy and link: the index in history::connections.
    std::map<std::pair<std::string, std::int64_t>, std::size_t> index_by_link_;
};

} // namespace turnstile::check
