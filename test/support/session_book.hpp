// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "foreign_client.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// The credentials of sessions that were seen on the wire: with them a test can end a session as
/// if it had expired. And the identities that they presented. Thread-safe.
class session_book {
public:
    /// A reply to a connect request, as on the wire. One that opens no session is ignored.
    void note(const std::string& frame);
    /// What an auth request presented: "user:password".
    void note_identity(std::string identity);

    [[nodiscard]] std::optional<session_credentials> find(std::int64_t id) const;
    /// The newest first.
    [[nodiscard]] std::vector<session_credentials> newest(std::size_t count) const;
    /// In the order in which they were presented, repeats among them.
    [[nodiscard]] std::vector<std::string> identities() const;
    void forget(std::int64_t id);

private:
    mutable std::mutex mutex_;
    std::map<std::int64_t, session_credentials> seen_;
    std::vector<std::int64_t> order_; // by first sight
    std::vector<std::string> identities_;
};

} // namespace turnstile::test
