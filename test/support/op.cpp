// SPDX-License-Identifier: BSL-1.0
#include "op.hpp"

namespace turnstile::test {

std::string_view to_string(op o) noexcept {
    switch (o) {
    case op::close_session:
        return "close_session";
    case op::create:
        return "create";
    case op::remove:
        return "remove";
    case op::exists:
        return "exists";
    case op::get_data:
        return "get_data";
    case op::set_data:
        return "set_data";
    case op::get_acl:
        return "get_acl";
    case op::set_acl:
        return "set_acl";
    case op::get_children:
        return "get_children";
    case op::sync:
        return "sync";
    case op::ping:
        return "ping";
    case op::get_children2:
        return "get_children2";
    case op::check:
        return "check";
    case op::multi:
        return "multi";
    case op::create2:
        return "create2";
    case op::reconfig:
        return "reconfig";
    case op::check_watches:
        return "check_watches";
    case op::remove_watches:
        return "remove_watches";
    case op::create_container:
        return "create_container";
    case op::create_ttl:
        return "create_ttl";
    case op::auth:
        return "auth";
    case op::set_watches:
        return "set_watches";
    case op::any:
        return "any";
    case op::connect:
        return "connect";
    case op::watch_event:
        return "watch_event";
    case op::unknown:
        return "unknown";
    }
    return "unlisted";
}

} // namespace turnstile::test
