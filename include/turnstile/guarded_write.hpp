// SPDX-License-Identifier: BSL-1.0
// Writes of nodes that only the holder of a lock can make, and reads of nodes.
#pragma once

#include <turnstile/error.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace turnstile {

/// One operation of a transaction. `node_writes` makes them.
struct node_write {
    enum class kind : std::uint8_t { create, set, remove, check };
    static constexpr std::int32_t any_version = -1;

    kind what = kind::check;
    std::string path{}; ///< below the chroot
    std::string data{};
    std::int32_t version = any_version; ///< the node's data must have this version
};

/// A transaction for `held_lock::write_guarded`:
///
///     node_writes().check("/app/config").set("/app/counter", "8")
class node_writes {
public:
    /// Makes a persistent node below one that exists. It gets the rights of lock paths.
    node_writes& create(std::string path, std::string data) {
        all_.push_back({node_write::kind::create, std::move(path), std::move(data)});
        return *this;
    }
    /// Writes the data of a node. It is refused unless the node exists and has this version.
    node_writes& set(std::string path, std::string data,
                     std::int32_t version = node_write::any_version) {
        all_.push_back({node_write::kind::set, std::move(path), std::move(data), version});
        return *this;
    }
    /// Deletes a node. It is refused unless the node has this version, and no children.
    node_writes& remove(std::string path, std::int32_t version = node_write::any_version) {
        all_.push_back({node_write::kind::remove, std::move(path), {}, version});
        return *this;
    }
    /// Changes nothing. It is refused unless the node exists and has this version.
    node_writes& check(std::string path, std::int32_t version = node_write::any_version) {
        all_.push_back({node_write::kind::check, std::move(path), {}, version});
        return *this;
    }

    const std::vector<node_write>& all() const { return all_; }

private:
    std::vector<node_write> all_{};
};

/// The result of one `node_write`.
struct node_result {
    /// Why this write was refused, in `zookeeper_category()`. Then the whole transaction was: the
    /// writes before it have no error here, and those behind it have -2.
    error_code failed{};
    /// The version of the new data, if it is a `set` that was carried out.
    std::int32_t version = 0;
};

/// The data of a node.
struct node_value {
    std::string data{};
    std::int32_t version = 0; ///< 0 once created, and one more with each `set`
    /// When the data was written, in whole milliseconds, by the clock of the server that led then.
    std::chrono::system_clock::time_point changed{};
};

} // namespace turnstile
