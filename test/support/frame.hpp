// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "op.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace turnstile::test {

enum class direction { to_server, to_client };

/// Bytes of the length in front of each message.
inline constexpr std::size_t frame_length_size = 4;

/// One message of the ZooKeeper protocol.
struct frame {
    std::string bytes;               ///< as on the wire, with the four bytes of length in front
    test::op op = test::op::unknown; ///< of a reply: that of the request
    test::op part =
        test::op::unknown; ///< of a multi and its reply: the operation of its first part
    test::op last_part = test::op::unknown; ///< and that of its last one
    std::int32_t xid = 0;
    std::int64_t session =
        0;                  ///< of its connection, as far as it was told; 0: a new one is asked for
    std::string path;       ///< of a reply: that of the request; of a multi: that of its first part
    std::string identity;   ///< of an auth request: what it presents, "user:password"
    std::int32_t error = 0; ///< replies only
    std::int32_t part_error = 0; ///< of a reply to a multi: that of its first part
    std::int32_t event = 0;      ///< of a watch event: its type, as ZooKeeper numbers them
    std::int64_t zxid = 0;       ///< replies only
};

} // namespace turnstile::test
