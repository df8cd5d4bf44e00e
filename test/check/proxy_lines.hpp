// SPDX-License-Identifier: BSL-1.0
// Reads the lines of a history that proxies wrote (support/wire_notes.hpp).
#pragma once

#include "history.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace turnstile::check {

class proxy_lines {
public:
    explicit proxy_lines(history& out) : out_{out} {}

    void line(instant t, const std::string& proxy, const std::string& kind,
              const boost::json::object& it);

private:
    history& out_;
    std::map<std::pair<std::string, std::int64_t>, std::size_t> index_; // of each connection
};

} // namespace turnstile::check
