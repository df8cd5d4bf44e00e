// The completion token that a lock object's operations take where none is given.
#pragma once

#include <boost/asio/deferred.hpp>

namespace turnstile::detail {

/// Asio's way to give an I/O object another default: its executor type names it (`as_default_on`).
template <class Executor>
struct default_token {
    using type = boost::asio::deferred_t;
};
template <class Executor>
    requires requires { typename Executor::default_completion_token_type; }
struct default_token<Executor> {
    using type = typename Executor::default_completion_token_type;
};

template <class Executor>
using default_token_t = typename default_token<Executor>::type;

} // namespace turnstile::detail
