// SPDX-License-Identifier: BSL-1.0
// Where a session's messages go.
#pragma once

#include <functional>
#include <string_view>

namespace turnstile {

enum class log_level { debug, info, warning, error, none };

/// What a session says of itself, one line each, with the session's id and its server in front:
///
/// - error: a lock is lost; an option cannot work.
/// - warning: locks are at risk; a connection was lost; a server cannot be used (named once, until
///   it answers); the session expired; an option, the chroot or a right makes trouble.
/// - info: connected, reconnected, closed; each lock that was granted.
/// - debug: the words of the C client below, and each further attempt at a server that was named.
///
/// No message carries a secret: neither the session's password nor an identity's.
struct logger {
    /// What is less grave is not passed on.
    log_level level = log_level::warning;
    /// Called on the session's strand, one call at a time, and by no function that the user called.
    /// Nothing is logged once `close()` has completed, or once the session object is destroyed
    /// where one thread runs the context. It must not block and must not throw. The sink adds the
    /// time. Without one, messages go to the standard error output, as far as that takes them at
    /// once.
    std::function<void(log_level, std::string_view)> sink{};
};

} // namespace turnstile
