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

/// Looks at nodes as another program would, by a session of its own. It sends nothing between
/// calls. So the session may end meanwhile, and the next call makes a new one.
class onlooker {
public:
    explicit onlooker(std::string address) : address_(std::move(address)) {}
    /// A client whose session lives, for whatever this class does not have.
    foreign_client& client() {
        if (!client_ || client_->exists("/") != 0)
            client_.emplace(address_);
        return *client_;
    }
    /// How many children a node has; 0 if there is no such node.
    std::size_t count(const std::string& path) {
        node_info info;
        const int rc = client().exists(path, &info);
        return rc == 0 ? static_cast<std::size_t>(info.children) : 0;
    }
    /// The children of a node that belong to that session.
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
    /// The names of a node's children, sorted by their sequence numbers.
    std::vector<std::string> children(const std::string& path) {
        std::vector<std::string> names;
        client().children(path, &names);
        std::ranges::sort(names, {}, [](const std::string& name) {
            return name.size() < 10 ? name : name.substr(name.size() - 10);
        });
        return names;
    }
    /// Throws if there is no such node.
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
