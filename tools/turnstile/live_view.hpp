// SPDX-License-Identifier: BSL-1.0
// What goes on until somebody has seen enough.
#pragma once

#include "connection_options.hpp"

#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>

namespace turnstile::command {

/// Until nothing reads the standard output any more; for ever where that cannot be heard, as of a
/// file. Then it ends as a write would: by SIGPIPE, or with command_failure where that is ignored.
boost::asio::awaitable<void> end_of_reader();

/// Does the work until it ends, SIGINT or SIGTERM comes, or the output has no reader. Says on the
/// standard error output when no server answers any more, within a third of the session timeout,
/// and when one is back. Throws what the work throws.
boost::asio::awaitable<void> live_view(session& own, const connection_options& how,
                                       boost::asio::awaitable<void> work);

} // namespace turnstile::command
