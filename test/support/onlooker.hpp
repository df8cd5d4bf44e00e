// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "foreign_client.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

/// Another program's eyes and hands. It sends nothing between calls, so its session may end
/// meanwhile; it makes a new one then.
class onlooker {
public:
    explicit onlooker(std::string address) : address_(std::move(address)) {}
    foreign_client& client() {
        if (!client_ || client_->exists("/") != 0)
            client_.emplace(address_);
        return *client_;
    }
    /// Children of a node; 0 if there is none.
    std::size_t count(const std::string& path) {
        node_info info;
        const int rc = client().exists(path, &info);
        return rc == 0 ? static_cast<std::size_t>(info.children) : 0;
    }
    /// Those that belong to a session.
    std::vector<node_info> of_session(const std::string& path, std::int64_t session) {
        std::vector<node_info> result;
        for (const auto& name : children(path)) {
            node_info info; // `exists` shows the owner, and without a watch leaves nothing behind
            if (client_->exists(path + "/" + name, &info) == 0 && info.ephemeral_owner == session)
                result.push_back(info);
        }
        return result;
    }
    std::size_t count_of(const std::string& path, std::int64_t session) {
        return of_session(path, session).size();
    }
    /// sorted by sequence
    std::vector<std::string> children(const std::string& path) {
        std::vector<std::string> names;
        client().children(path, &names);
        std::ranges::sort(names, {}, [](const std::string& name) {
            return name.size() < 10 ? name : name.substr(name.size() - 10);
        });
        return names;
    }
    node_info info(const std::string& node) {
        node_info result;
        if (const int rc = client().exists(node, &result); rc != 0)
            throw std::runtime_error("exists " + node + ": " + std::to_string(rc));
        return result;
    }

private:
    std::string address_;
    std::optional<foreign_client> client_;
};

} // namespace turnstile::test
