// SPDX-License-Identifier: BSL-1.0
#include "onlooker.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace turnstile::test {

onlooker::onlooker(std::string address) : address_(std::move(address)) {}

foreign_client& onlooker::client() {
    if (!client_ || client_->exists("/") != 0)
        client_.emplace(address_);
    return *client_;
}

std::size_t onlooker::count(const std::string& path) {
    node_info info;
    const int rc = client().exists(path, &info);
    return rc == 0 ? static_cast<std::size_t>(info.children) : 0;
}

std::vector<node_info> onlooker::of_session(const std::string& path, std::int64_t session) {
    std::vector<node_info> result;
    for (const auto& name : children(path)) {
        node_info info; // `exists` tells the owner, and without a watch leaves nothing behind
        if (client_->exists(path + "/" + name, &info) == 0 && info.ephemeral_owner == session)
            result.push_back(info);
    }
    return result;
}

std::vector<std::string> onlooker::children(const std::string& path) {
    std::vector<std::string> names;
    client().children(path, &names);
    std::ranges::sort(names, {}, [](const std::string& name) {
        return name.size() < 10 ? name : name.substr(name.size() - 10);
    });
    return names;
}

node_info onlooker::info(const std::string& node) {
    node_info result;
    if (const int rc = client().exists(node, &result); rc != 0)
        throw std::runtime_error("exists " + node + ": " + std::to_string(rc));
    return result;
}

} // namespace turnstile::test
