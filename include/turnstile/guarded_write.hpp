// SPDX-License-Identifier: BSL-1.0
// Writes to nodes of ZooKeeper that only the holder of a lock can make, and reads of them.
#pragma once

#include <turnstile/error.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace turnstile {

/// One operation of a transaction: see `held_lock::guarded`. A path is below the chroot.
struct node_write {
    enum class kind : std::uint8_t { create, set, remove, check };

    static constexpr std::int32_t any_version = -1;

    /// Makes a node that stays. Its parent must be there. It gets the rights that
    /// `session_options::acl` gives to lock directories.
    static node_write create(std::string path, std::string data) {
        return {kind::create, std::move(path), std::move(data)};
    }
    static node_write set(std::string path, std::string data, std::int32_t version = any_version) {
        return {kind::set, std::move(path), std::move(data), version};
    }
    static node_write remove(std::string path, std::int32_t version = any_version) {
        return {kind::remove, std::move(path), {}, version};
    }
    /// Only asks whether the node is there, and has this version.
    static node_write check(std::string path, std::int32_t version = any_version) {
        return {kind::check, std::move(path), {}, version};
    }

    kind what = kind::check;
    std::string path{};
    std::string data{};
    std::int32_t version = any_version; ///< that the node's data must have
};

/// What became of one `node_write`.
struct node_result {
    /// Why this one was refused, in `zookeeper_category()`. Of a transaction that was refused, those
    /// before it show no error, and those behind it -2.
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
