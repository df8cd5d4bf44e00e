// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "foreign_client.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

// Where these stand in a ConnectResponse. It has: length, protocol version, timeout, session id,
// length of the password, password.
inline constexpr std::size_t id_at = 4 + 4 + 4;
inline constexpr std::size_t password_at = id_at + 8 + 4;

/// The credentials of the sessions that a proxy has seen, and the identities that they presented.
/// With the credentials a test can end a session as if it had expired. A test owns the book; the
/// proxies write to it. Thread-safe.
class session_book {
public:
    /// Notes a reply to a connect request, as it is on the wire. One that opens no session is
    /// ignored.
    void note(const std::string& frame) {
        session_credentials seen;
        if (frame.size() < password_at + seen.password.size())
            return;
        std::uint64_t id = 0;
        for (std::size_t i = 0; i < 8; ++i)
            id = (id << 8U) | static_cast<unsigned char>(frame[id_at + i]);
        if (id == 0)
            return; // the session has expired
        seen.id = static_cast<std::int64_t>(id);
        std::copy_n(frame.data() + password_at, seen.password.size(), seen.password.begin());
        const std::lock_guard lock{mutex_};
        if (seen_.insert_or_assign(seen.id, seen).second)
            order_.push_back(seen.id);
    }
    /// Notes what an auth request presented: "user:password".
    void note_identity(std::string identity) {
        const std::lock_guard lock{mutex_};
        identities_.push_back(std::move(identity));
    }

    [[nodiscard]] std::optional<session_credentials> find(std::int64_t id) const {
        const std::lock_guard lock{mutex_};
        const auto found = seen_.find(id);
        return found == seen_.end() ? std::nullopt : std::optional{found->second};
    }
    /// At most so many sessions, the newest first.
    [[nodiscard]] std::vector<session_credentials> newest(std::size_t count) const {
        const std::lock_guard lock{mutex_};
        std::vector<session_credentials> result;
        for (auto id = order_.rbegin(); id != order_.rend() && result.size() < count; ++id)
            result.push_back(seen_.at(*id));
        return result;
    }
    /// All identities in the order in which they were presented, also those that came again.
    [[nodiscard]] std::vector<std::string> identities() const {
        const std::lock_guard lock{mutex_};
        return identities_;
    }
    void forget(std::int64_t id) {
        const std::lock_guard lock{mutex_};
        seen_.erase(id);
        std::erase(order_, id);
    }

private:
    mutable std::mutex mutex_;
    std::map<std::int64_t, session_credentials> seen_;
    std::vector<std::int64_t> order_; // in which they were seen first
    std::vector<std::string> identities_;
};

} // namespace turnstile::test
