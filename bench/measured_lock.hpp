// The kinds of lock that a scenario can be run with.
#pragma once

#include <turnstile.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace turnstile::bench {

/// A shared lock, taken to read.
class readers_lock {
public:
    readers_lock(session& owner, std::string path) : lock_(owner, std::move(path)) {}
    auto acquire() { return lock_.acquire_shared(); }

private:
    shared_mutex lock_;
};

/// Each lock has acquire(), whose result is a held_lock.
template <class Lock>
constexpr std::string_view name_of_lock() {
    if constexpr (std::is_same_v<Lock, readers_lock>)
        return "readers";
    else if constexpr (std::is_same_v<Lock, shared_mutex>)
        return "shared";
    else
        return "mutex";
}

} // namespace turnstile::bench
