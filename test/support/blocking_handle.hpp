// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "foreign_client.hpp"

#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

struct _zhandle; // zhandle_t of the C client, whose header stays out of headers

namespace turnstile::test {

/// To be locked around each call of the C client: its request numbers and log buffers belong to the
/// whole process, and have no lock.
std::mutex& zookeeper_library_mutex();

/// What a completion callback leaves behind.
struct zookeeper_reply {
    bool done = false;
    int rc = 0;
    std::string text;
    std::vector<std::string> names;
    std::vector<node_right> rights;
    node_info info;
};

/// A handle of the single-threaded C client, which works only inside calls of this object: each one
/// waits with poll(). foreign_client owns it, and turns its own functions into calls of call().
class blocking_handle {
public:
    /// Hands a request to the C client, with that reply as the context of the callback. Returns the
    /// C client's code.
    using send_function = std::function<int(_zhandle*, zookeeper_reply&)>;

    /// Connects; throws std::runtime_error if it cannot.
    explicit blocking_handle(foreign_client::options how);
    blocking_handle(const blocking_handle&) = delete;
    blocking_handle& operator=(const blocking_handle&) = delete;
    ~blocking_handle();

    /// Sends a request by `send` and waits for its reply, which goes to *out. Returns its code, or
    /// ZOPERATIONTIMEOUT.
    int call(const send_function& send, zookeeper_reply* out = nullptr);

    /// Works on the connection until `done()`, the end of the session, or the deadline.
    void drive(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline);

    int close();
    void drop(); ///< closes the connection, and the server does not learn that the session is over

    [[nodiscard]] bool connected() const;
    [[nodiscard]] bool unusable() const; ///< closed, expired, or the digest was refused
    [[nodiscard]] _zhandle* get() const noexcept { return handle_; }
    [[nodiscard]] bool owner_only() const noexcept { return options_.owner_only; }
    [[nodiscard]] bool keeps_children() const noexcept { return options_.keeps_children; }

private:
    /// One poll() for what the C client is interested in. `wait` is the C client's limit, and
    /// `left` the caller's. Returns the events that have come.
    [[nodiscard]] int wait_for_socket(int interest, std::chrono::milliseconds wait,
                                      std::chrono::milliseconds left) const;

    foreign_client::options options_;
    _zhandle* handle_ = nullptr; // owned; only zookeeper_close frees it
    int fd_ = -1;                // the C client's socket, as it last said

    // Replies that are awaited. They are not on the stack of call(), for the callback may come
    // after call() has given up.
    std::list<zookeeper_reply> replies_;
};

} // namespace turnstile::test
