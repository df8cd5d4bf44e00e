// SPDX-License-Identifier: BSL-1.0
// The kinds of lock that a scenario can be run with.
#pragma once

#include "lock_choice.hpp"
#include "row.hpp"
#include "target.hpp"

#include <turnstile.hpp>

#include <boost/asio/io_context.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::bench {

/// What most kinds have in common. Each kind has `acquire()` besides, whose result is a held_type.
struct one_line {
    using session_type = session;
    using held_type = held_lock;
    /// A session that is not yet connected, the `which`th of a run.
    static std::unique_ptr<session> open(boost::asio::io_context& context, const target& server,
                                         std::size_t which) {
        // Waiters of the holder's own session are on purpose here.
        auto options = server.options(which);
        options.own_wait = own_wait::silent;
        return std::make_unique<session>(context, options);
    }
    /// Whether a release wakes all who wait, and all of them ask the server.
    static constexpr bool herd = false;
    /// How many locks an acquire takes.
    static std::size_t locks(const lock_choice&) { return 1; }
    /// How many hold at a time.
    static std::size_t holders(const lock_choice&) { return 1; }
    /// Where the tickets stand, and how many they are while `waiters` wait.
    static std::string line(const std::string& path) { return path; }
    static std::size_t tickets(std::size_t waiters) { return waiters + 1; } // the holder's, too
    /// Whether somebody who becomes the first in line asks the server what is free.
    static constexpr bool first_looks = false;
    /// What the server sends to the releaser itself at its release.
    enum class own_event {
        none,
        deleted, ///< its ticket watches itself, and the next in line hears CHANGED
        unknown,
    };
    static constexpr auto to_releaser = own_event::unknown;
    /// Nodes that stay when nobody uses the lock any more, to be deleted in this order.
    static std::vector<std::string> kept_nodes(const std::string&) { return {}; }
};

template <class Lock>
class plain_lock : public one_line {
public:
    plain_lock(session& owner, const std::string& path, const lock_choice&) : lock_(owner, path) {}
    auto acquire() { return lock_.acquire(); }

private:
    Lock lock_;
};

struct mutex_lock : plain_lock<mutex> {
    using plain_lock::plain_lock;
    static constexpr std::string_view name = "mutex";
    static constexpr auto to_releaser = own_event::deleted;
};

/// A shared lock, taken to write.
struct writers_lock : plain_lock<shared_mutex> {
    using plain_lock::plain_lock;
    static constexpr std::string_view name = "shared";
    static constexpr auto to_releaser = own_event::deleted;
};

/// A shared lock, taken to read.
class readers_lock : public one_line {
public:
    static constexpr std::string_view name = "readers";

    readers_lock(session& owner, const std::string& path, const lock_choice&)
        : lock_(owner, path) {}
    auto acquire() { return lock_.shared().acquire(); }

private:
    shared_mutex lock_;
};

/// One permit of it.
class semaphore_lock : public one_line {
public:
    static constexpr std::string_view name = "semaphore";

    semaphore_lock(session& owner, const std::string& path, const lock_choice& choice)
        : lock_(owner, path, static_cast<std::uint32_t>(choice.size)) {}
    auto acquire() { return lock_.acquire(); }

    static std::size_t holders(const lock_choice& choice) { return choice.size; }
    static std::string line(const std::string& path) { return path + "/queue"; }
    static std::size_t tickets(std::size_t waiters) { return waiters; } // a holder has a permit
    static constexpr bool first_looks = true;
    static std::vector<std::string> kept_nodes(const std::string& path) {
        return {path + "/leases", path + "/queue", path + "/limit"};
    }

private:
    semaphore lock_;
};

/// Whoever waits has no node: each release wakes them all.
struct one_node_lock : plain_lock<single_node_mutex> {
    using plain_lock::plain_lock;
    static constexpr std::string_view name = "single-node";

    static std::size_t tickets(std::size_t) { return 1; } // the holder's
};

/// Several mutexes of one session as one. Who waits has a ticket of the first of them.
class several_locks : public one_line {
public:
    static constexpr std::string_view name = "multi";

    several_locks(session& owner, const std::string& path, const lock_choice& choice)
        : lock_(parts(owner, path, choice.size)) {}
    auto acquire() { return lock_.acquire(); }

    static std::size_t locks(const lock_choice& choice) { return choice.size; }
    static std::string line(const std::string& path) { return path + "-0"; }

private:
    // Their paths are made in this order, and so they are acquired in it.
    static std::vector<lock_view> parts(session& owner, const std::string& path,
                                        std::size_t count) {
        std::vector<lock_view> all;
        for (std::size_t i = 0; i < count; ++i)
            all.emplace_back(mutex(owner, path + "-" + std::to_string(i)));
        return all;
    }

    multi_lock lock_;
};

template <class... Kinds>
struct kind_list {
    static std::vector<std::string> names() { return {std::string(Kinds::name)...}; }

    /// `measure.operator()<Lock>()` with the kind of that name.
    template <class Measure>
    static rows with(std::string_view name, const Measure& measure) {
        rows result;
        const bool known =
            ((Kinds::name == name && (result = measure.template operator()<Kinds>(), true)) || ...);
        if (!known)
            throw std::invalid_argument("no such kind of lock: " + std::string(name));
        return result;
    }
};

using lock_kinds =
    kind_list<mutex_lock, writers_lock, readers_lock, semaphore_lock, one_node_lock, several_locks>;

} // namespace turnstile::bench
