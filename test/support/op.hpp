// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace turnstile::test {

/// What a frame asks, or answers: ZooKeeper's request types by their numbers on the wire, and some
/// that only the proxy knows.
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

    any = -1'000,         ///< in a rule: matches each frame
    connect = -1'001,     ///< the first frame of each direction, which opens the session
    watch_event = -1'002, ///< a notification, which the server sends without a request
    unknown = -1'003,     ///< a reply to no request that was seen, or no ZooKeeper frame at all
};

[[nodiscard]] inline std::string_view to_string(op o) noexcept {
    constexpr std::pair<op, std::string_view> names[]{{op::close_session, "close_session"},
                                                      {op::create, "create"},
                                                      {op::remove, "remove"},
                                                      {op::exists, "exists"},
                                                      {op::get_data, "get_data"},
                                                      {op::set_data, "set_data"},
                                                      {op::get_acl, "get_acl"},
                                                      {op::set_acl, "set_acl"},
                                                      {op::get_children, "get_children"},
                                                      {op::sync, "sync"},
                                                      {op::ping, "ping"},
                                                      {op::get_children2, "get_children2"},
                                                      {op::check, "check"},
                                                      {op::multi, "multi"},
                                                      {op::create2, "create2"},
                                                      {op::reconfig, "reconfig"},
                                                      {op::check_watches, "check_watches"},
                                                      {op::remove_watches, "remove_watches"},
                                                      {op::create_container, "create_container"},
                                                      {op::create_ttl, "create_ttl"},
                                                      {op::auth, "auth"},
                                                      {op::set_watches, "set_watches"},
                                                      {op::any, "any"},
                                                      {op::connect, "connect"},
                                                      {op::watch_event, "watch_event"},
                                                      {op::unknown, "unknown"}};
    for (const auto& [which, name] : names)
        if (which == o)
            return name;
    return "unlisted";
}

} // namespace turnstile::test
