// SPDX-License-Identifier: BSL-1.0
// The executor of a coroutine that runs under a lock.
#pragma once

#include <turnstile/detail/export.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <concepts>

namespace turnstile::detail {

/// This is compiled code, so that users do not compile the headers of strands.
TURNSTILE_API boost::asio::any_io_executor
make_own_strand(const boost::asio::any_io_executor& over);

/// Makes a strand over the type-erased executor, which is Asio's default. Only that one can hold a
/// strand over itself, so any other executor is returned as it is.
struct own_strand {
    template <class Executor>
    Executor operator()(const Executor& over) const {
        if constexpr (std::same_as<Executor, boost::asio::any_io_executor>)
            return make_own_strand(over);
        else
            return over;
    }
};

} // namespace turnstile::detail
