// SPDX-License-Identifier: BSL-1.0
// Output that goes on until its reader has seen enough.
#pragma once

#include "options/connection_options.hpp"

#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>

namespace turnstile::command {

/// Waits until nothing reads the standard output any more. Then this process ends as by a write: by
/// SIGPIPE, or, where that is ignored, with command_failure. For a file this waits for ever.
boost::asio::awaitable<void> end_of_reader();

/// Does the work until it ends, SIGINT or SIGTERM comes, or the output has no reader. Meanwhile it
/// says on the standard error output when no server answers any more, and when one is back: within
/// a third of the session timeout. Throws what the work throws.
boost::asio::awaitable<void> live_view(session& own, const connection_options& how,
                                       boost::asio::awaitable<void> work);

} // namespace turnstile::command
