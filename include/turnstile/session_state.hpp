// SPDX-License-Identifier: BSL-1.0
// The states of a session.
#pragma once

namespace turnstile {

enum class session_state {
    idle,       ///< not connected, and not trying to
    connecting, ///< trying to make a session
    connected,
    suspended, ///< there is a session, but no connection; held locks stand until their deadline
    closing,
    closed,
};

} // namespace turnstile
