// SPDX-License-Identifier: BSL-1.0
// Who stands in line for a lock, or holds it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace turnstile {

/// One ticket of a line or one permit of a semaphore, as `participants()` of a lock lists it.
struct participant {
    enum class knowledge : std::uint8_t {
        not_asked, ///< beyond as many as were asked for
        answered,  ///< the server answered
        gone,      ///< it left between the listing and the question
        denied,    ///< the server would not show it
    };

    /// The ticket's name under the lock path. Of a semaphore `leases/` or `queue/`, and the name.
    std::string node{};
    /// A reader.
    bool shared = false;
    /// It waits for no other: it holds the lock, or is about to. Of a semaphore: it is a permit.
    bool holds = false;
    /// Another program's ticket: Curator's, Kazoo's, go-zookeeper's, that of ZooKeeper's recipes.
    bool foreign = false;
    /// How many acquires and held locks share the ticket or the permit, where it is one of the
    /// session that was asked; else 0: only its own session knows.
    std::size_t handles = 0;

    /// What is known of the rest, which is empty unless the server answered.
    knowledge known = knowledge::not_asked;
    /// Where the process runs, and `session_options::label`. Empty for foreign tickets.
    std::string host{};
    std::string pid{};
    std::string label{};
    /// The ticket's data as it is.
    std::string data{};
    /// The ZooKeeper session that the ticket belongs to. Zero, where it is known: the node goes
    /// with no session, and is no ticket; `evict` deletes it. Such nodes come last.
    std::int64_t session_id = 0;
    /// When the ticket was made, in whole milliseconds, by the clock of the server that led the
    /// ensemble then.
    std::chrono::system_clock::time_point created{};

    /// How long it stands there: in line, and then as the holder. It is wrong by as much as `now`
    /// and the server's clock differ, and may so be below zero. Zero where nothing is known.
    std::chrono::milliseconds
    age(std::chrono::system_clock::time_point now = std::chrono::system_clock::now()) const {
        if (known != knowledge::answered)
            return {};
        return std::chrono::duration_cast<std::chrono::milliseconds>(now - created);
    }
};

} // namespace turnstile
