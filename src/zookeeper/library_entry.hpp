// The door into the C client: its process-wide state (xid, log level, format buffers) is not
// protected in the single-threaded build.
#pragma once

#include <mutex>

namespace turnstile::zookeeper {

/// Held around every call of the C client, in every session of the process; never while a user's
/// handler runs. Sets the log level of the session that enters.
class library_entry {
public:
    explicit library_entry(int log_level);
    library_entry(const library_entry&) = delete;
    library_entry& operator=(const library_entry&) = delete;

private:
    std::lock_guard<std::mutex> guard_;
};

} // namespace turnstile::zookeeper
