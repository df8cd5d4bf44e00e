// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

namespace turnstile::test {

/// ZooKeeper's request types by their numbers on the wire, and some that only the proxy knows.
enum class op : std::int32_t {
    close_session = -11,
    create = 1,
    remove = 2, ///< "delete"
    exists = 3,
    get_data = 4,
    set_data = 5,
    get_acl = 6,
    set_acl = 7,
    get_children = 8,
    sync = 9,
    ping = 11,
    get_children2 = 12,
    check = 13,
    multi = 14,
    create2 = 15,
    reconfig = 16,
    check_watches = 17,
    remove_watches = 18,
    create_container = 19,
    create_ttl = 21,
    auth = 100,
    set_watches = 101,

    any = -1'000,         ///< in rules: whatever it is
    connect = -1'001,     ///< the first frame of each direction, which opens the session
    watch_event = -1'002, ///< from the server without a request
    unknown = -1'003,     ///< a reply to nothing we saw, or no ZooKeeper frame at all
};

[[nodiscard]] std::string_view to_string(op o) noexcept;

} // namespace turnstile::test
