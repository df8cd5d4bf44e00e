// SPDX-License-Identifier: BSL-1.0
// The log of a session.
#pragma once

#include <functional>
#include <string_view>

namespace turnstile {

enum class log_level { debug, info, warning, error, none };

/// The log of a session. Each message is a line that begins with the session's id and its server:
///
/// - error: a lock is lost; an option cannot work.
/// - warning: locks are at risk; a connection was lost; a server cannot be used (named once, until
///   it answers); the session expired; an option, the chroot or a right causes a failure.
/// - info: connected, reconnected, closed; each lock that was granted.
/// - debug: the messages of ZooKeeper's C client; each further attempt at a server that was named.
///
/// No message has a secret: neither the session's password nor that of an identity.
struct logger {
    /// Messages below this level are dropped.
    log_level level = log_level::warning;
    /// Called on the session's strand, one call at a time, and never from within a function that
    /// the user called. It is not called any more once `close()` has completed, or, if one thread
    /// runs the context, once the session object is destroyed. It must not block and must not
    /// throw. The time is not in the message. Without a sink, messages go to the standard error
    /// output, or are lost if it would block.
    std::function<void(log_level, std::string_view)> sink{};
};

} // namespace turnstile
