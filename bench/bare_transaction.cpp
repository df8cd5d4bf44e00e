// SPDX-License-Identifier: BSL-1.0
#include "bare_transaction.hpp"

#include "bare_client.hpp"

#include <utility>

namespace turnstile::bench {

zoo_op_t& bare_transaction::add(step what) {
    steps_.push_back(std::move(what));
    results_.emplace_back();
    return ops_.emplace_back();
}

void bare_transaction::check(const std::string& path) {
    auto& op = add({.path = path});
    zoo_check_op_init(&op, steps_.back().path.c_str(), -1);
}

void bare_transaction::set(const std::string& path, const std::string& data) {
    auto& op = add({.path = path, .data = data});
    auto& kept = steps_.back();
    zoo_set_op_init(&op, kept.path.c_str(), kept.data.data(), static_cast<int>(kept.data.size()),
                    -1, &kept.stat);
}

void bare_transaction::remove(const std::string& path) {
    auto& op = add({.path = path});
    zoo_delete_op_init(&op, steps_.back().path.c_str(), -1);
}

void bare_transaction::create(const std::string& prefix) {
    constexpr std::size_t digits = 16; // more than the server appends, and the end of the text
    auto& op = add({.path = prefix,
                    .data = bare_client::ticket_data,
                    .made = std::string(prefix.size() + digits, '\0')});
    auto& kept = steps_.back();
    zoo_create_op_init(&op, kept.path.c_str(), kept.data.data(), static_cast<int>(kept.data.size()),
                       &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL_SEQUENTIAL, kept.made.data(),
                       static_cast<int>(kept.made.size()));
}

std::vector<std::string> bare_transaction::created() const {
    std::vector<std::string> paths;
    for (const auto& each : steps_)
        if (!each.made.empty())
            paths.emplace_back(each.made.c_str());
    return paths;
}

} // namespace turnstile::bench
