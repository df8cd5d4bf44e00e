// The kinds of lock that a run has, as the checker knows them.
#pragma once

#include "promises/lock_kind.hpp"

namespace turnstile::check {

/// All of a run's locks: a mutex is the writer of a shared mutex.
inline constexpr const promises::lock_kind& kind_of_all = promises::shared_mutex;

constexpr promises::units taken_by(bool exclusive) {
    return exclusive ? kind_of_all.all() : promises::reader;
}

} // namespace turnstile::check
