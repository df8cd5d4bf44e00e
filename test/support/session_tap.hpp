#pragma once

#include "foreign_client.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::test {

/// A relay in front of one server that reads along which sessions are opened through it: with id
/// and password a test can end the library's session, as if it had expired. It does no harm by
/// itself; put a frame_proxy before it for that.
///
/// Works in a thread of its own. All functions may be called from any thread.
class session_tap {
public:
    explicit session_tap(std::uint16_t server_port);
    session_tap(const session_tap&) = delete;
    session_tap& operator=(const session_tap&) = delete;
    ~session_tap(); ///< closes all connections

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string address() const; ///< "127.0.0.1:PORT"

    /// Throws std::out_of_range for a session that was not opened through this relay.
    [[nodiscard]] session_credentials credentials(std::int64_t id) const;
    /// Of all sessions that were opened, the newest first.
    [[nodiscard]] std::vector<session_credentials> sessions() const;

    /// What was presented by auth requests ("user:password"), in their order, repeats among them.
    [[nodiscard]] std::vector<std::string> identities() const;

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

} // namespace turnstile::test
