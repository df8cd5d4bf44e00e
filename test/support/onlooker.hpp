// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "foreign_client.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// Another program's eyes and hands. It sends nothing between calls, so its session may end
/// meanwhile; it makes a new one then.
class onlooker {
public:
    explicit onlooker(std::string address);
    foreign_client& client();
    /// Children of a node; 0 if there is none.
    std::size_t count(const std::string& path);
    /// Those that belong to a session.
    std::vector<node_info> of_session(const std::string& path, std::int64_t session);
    std::size_t count_of(const std::string& path, std::int64_t session) {
        return of_session(path, session).size();
    }
    std::vector<std::string> children(const std::string& path); ///< sorted by sequence
    node_info info(const std::string& node);

private:
    std::string address_;
    std::optional<foreign_client> client_;
};

} // namespace turnstile::test
