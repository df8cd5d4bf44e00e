// SPDX-License-Identifier: BSL-1.0
// The door into the C client: its process-wide state (xid, log level, format buffers) is not
// protected in the single-threaded build.
#pragma once

#include <mutex>

namespace turnstile::zookeeper {

/// Held around every call of the C client, in every session of the process; never while a user's
/// handler runs. Sets the log level of the session that enters.
class c_client_lock {
public:
    explicit c_client_lock(int log_level);
    c_client_lock(const c_client_lock&) = delete;
    c_client_lock& operator=(const c_client_lock&) = delete;

private:
    std::lock_guard<std::mutex> guard_;
};

} // namespace turnstile::zookeeper
