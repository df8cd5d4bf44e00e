// SPDX-License-Identifier: BSL-1.0
// Each kind of lock with the same calls, for tests of what holds for all of them.
#pragma once

#include "integration/support/fixture.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace turnstile::test {

/// `theirs` is held exclusively by another session where `ours` has to wait.
template <class Lock>
struct simple_kind {
    simple_kind(session& owner, const std::string& path) : lock(owner, path) {}

    template <class Token>
    auto acquire(Token&& token) {
        return lock.acquire(std::forward<Token>(token));
    }
    template <class Token>
    auto try_acquire(Token&& token) {
        return lock.try_acquire(std::forward<Token>(token));
    }
    template <class Token>
    auto acquire_for(std::chrono::milliseconds limit, Token&& token) {
        return lock.acquire_for(limit, std::forward<Token>(token));
    }

    Lock lock;
};

using mutex_kind = simple_kind<mutex>;
using writer_kind = simple_kind<shared_mutex>;
using single_node_kind = simple_kind<single_node_mutex>;

/// Readers wait for a writer.
struct reader_kind {
    reader_kind(session& owner, const std::string& path) : lock(owner, path) {}

    template <class Token>
    auto acquire(Token&& token) {
        return lock.shared().acquire(std::forward<Token>(token));
    }
    template <class Token>
    auto try_acquire(Token&& token) {
        return lock.shared().try_acquire(std::forward<Token>(token));
    }
    template <class Token>
    auto acquire_for(std::chrono::milliseconds limit, Token&& token) {
        return lock.shared().acquire_for(limit, std::forward<Token>(token));
    }

    shared_mutex lock;
};

/// Two leases of two.
struct leases_kind {
    leases_kind(session& owner, const std::string& path) : lock(owner, path, 2) {}

    template <class Token>
    auto acquire(Token&& token) {
        return lock.permits(2).acquire(std::forward<Token>(token));
    }
    template <class Token>
    auto try_acquire(Token&& token) {
        return lock.permits(2).try_acquire(std::forward<Token>(token));
    }
    template <class Token>
    auto acquire_for(std::chrono::milliseconds limit, Token&& token) {
        return lock.permits(2).acquire_for(limit, std::forward<Token>(token));
    }

    semaphore lock;
};

/// A mutex and a lock of one node as one.
struct several_kind {
    several_kind(session& owner, const std::string& path)
        : first(owner, path), second(owner, path + "-second"), lock(first, second) {}

    template <class Token>
    auto acquire(Token&& token) {
        return lock.acquire(std::forward<Token>(token));
    }
    template <class Token>
    auto try_acquire(Token&& token) {
        return lock.try_acquire(std::forward<Token>(token));
    }
    template <class Token>
    auto acquire_for(std::chrono::milliseconds limit, Token&& token) {
        return lock.acquire_for(limit, std::forward<Token>(token));
    }

    mutex first;
    single_node_mutex second;
    multi_lock lock;
};

/// What another session holds, so that a lock of the kind has to wait.
template <class Kind>
struct opponent {
    using type = Kind;
};
template <>
struct opponent<reader_kind> {
    using type = writer_kind;
};
template <class Kind>
using opponent_t = typename opponent<Kind>::type;

} // namespace turnstile::test
