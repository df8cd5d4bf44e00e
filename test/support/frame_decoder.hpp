// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "frame.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace turnstile::test {

/// Reads the frames of one connection, both ways and in their order: a reply is understood by the
/// request before it. Each proxy_link owns one. What is no ZooKeeper frame gives zeros and empty
/// texts.
class frame_decoder {
public:
    [[nodiscard]] frame decode(direction where, std::string bytes);

    /// The session of the connection; 0 before the server has named it.
    [[nodiscard]] std::int64_t session() const noexcept { return session_; }

private:
    /// What the reply to a request will need.
    struct request {
        test::op op;
        test::op part;
        test::op last_part;
        std::string path;
    };

    void decode_handshake(direction where, frame& f);
    void decode_request(frame& f);
    void decode_reply(frame& f);

    bool connect_seen_ = false;
    bool connect_answered_ = false;
    std::int64_t session_ = 0;
    std::multimap<std::int32_t, request> unanswered_; // by xid, which all pings share
};

} // namespace turnstile::test
