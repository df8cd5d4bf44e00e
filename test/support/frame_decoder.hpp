// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "frame.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace turnstile::test {

/// Makes sense of the frames of one connection.
class frame_decoder {
public:
    [[nodiscard]] frame decode(direction where, std::string bytes);

    [[nodiscard]] std::int64_t session() const noexcept { return session_; }

private:
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
    std::multimap<std::int32_t, request> outstanding_; // multi: pings all have the same xid
};

} // namespace turnstile::test
