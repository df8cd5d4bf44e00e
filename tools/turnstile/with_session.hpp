// SPDX-License-Identifier: BSL-1.0
// Runs work with a session, and ends the session.
#pragma once

#include <turnstile/options.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace turnstile::command {

/// What the work comes to, or what it threw. Closes the session in either case, within seconds.
int with_session(const session_options& how,
                 const std::function<boost::asio::awaitable<int>(session&)>& work);

} // namespace turnstile::command
