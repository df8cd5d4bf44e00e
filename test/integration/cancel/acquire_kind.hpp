// SPDX-License-Identifier: BSL-1.0
// The three ways to ask for a lock, which are cancelled in the same ways.
#pragma once

#include "integration/support/fixture.hpp"

#include "support/pch.hpp"

namespace turnstile::test {

enum class acquire_kind { acquire, try_acquire, acquire_for };

/// For GENERATE.
inline auto every_kind() {
    return Catch::Generators::values(
        {acquire_kind::acquire, acquire_kind::try_acquire, acquire_kind::acquire_for});
}

template <class Token>
void start_acquire(mutex& lock, acquire_kind what, Token&& token) {
    if (what == acquire_kind::try_acquire)
        lock.try_acquire(std::forward<Token>(token));
    else if (what == acquire_kind::acquire_for)
        lock.acquire_for(std::chrono::minutes{1}, std::forward<Token>(token));
    else
        lock.acquire(std::forward<Token>(token));
}

} // namespace turnstile::test
