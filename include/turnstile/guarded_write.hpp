// SPDX-License-Identifier: BSL-1.0
// Writes to nodes of ZooKeeper that only the holder of a lock can make, and reads of them.
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
    std::int32_t version = any_version; ///< that the node's data must have
};

/// A transaction for `held_lock::guarded`:
///
///     node_writes().check("/app/config").set("/app/counter", "8")
class node_writes {
public:
    /// Makes a node that stays, below one that is there. Its rights are those of lock directories.
    node_writes& create(std::string path, std::string data) {
        all_.push_back({node_write::kind::create, std::move(path), std::move(data)});
        return *this;
    }
    node_writes& set(std::string path, std::string data,
                     std::int32_t version = node_write::any_version) {
        all_.push_back({node_write::kind::set, std::move(path), std::move(data), version});
        return *this;
    }
    node_writes& remove(std::string path, std::int32_t version = node_write::any_version) {
        all_.push_back({node_write::kind::remove, std::move(path), {}, version});
        return *this;
    }
    /// Only asks whether the node is there, and has this version.
    node_writes& check(std::string path, std::int32_t version = node_write::any_version) {
        all_.push_back({node_write::kind::check, std::move(path), {}, version});
        return *this;
    }

    const std::vector<node_write>& all() const { return all_; }

private:
    std::vector<node_write> all_{};
};

/// What became of one `node_write`.
struct node_result {
    /// Why this one was refused, in `zookeeper_category()`. Those before it then show no error, and
    /// those behind it -2.
    error_code failed{};
    /// Of a `set` that was carried out: the version of the new data.
    std::int32_t version = 0;
};

/// What a node has.
struct node_value {
    std::string data{};
    std::int32_t version = 0; ///< of the data: 0 as created, and one more with each `set`
    /// When the data was written, in whole milliseconds, by the clock of the server that led then.
    std::chrono::system_clock::time_point changed{};
};

} // namespace turnstile
