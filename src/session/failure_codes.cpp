// SPDX-License-Identifier: BSL-1.0
#include "session/failure_codes.hpp"

#include <boost/asio/error.hpp>

namespace turnstile::detail {

error_code to_error_code(protocol::failure why, protocol::zookeeper_code code) {
    using enum protocol::failure;
    switch (why) {
    case none:
        return {};
    case cancelled:
    case taken_back: // for a multi_lock alone, which asks again
        return boost::asio::error::operation_aborted;
    case timed_out:
        return error::timeout;
    case would_block:
        return error::would_block;
    case would_deadlock:
        return error::would_deadlock;
    case unreachable:
        return error::unreachable;
    case connect_timed_out:
        return error::connect_timeout;
    case not_exclusive:
        return error::not_exclusive;
    case not_shared:
        return error::not_shared;
    case not_alone:
        return error::not_alone;
    case names_forbid:
        return error::names_forbid;
    case session_closed:
        return error::session_closed;
    case session_full:
        return error::session_full;
    case create_denied:
        return error::create_denied;
    case read_denied:
        return error::read_denied;
    case write_denied:
        return error::write_denied;
    case release_denied:
        return error::release_denied;
    case auth_failed:
        return error::auth_failed;
    case no_chroot:
        return error::no_chroot;
    case sequence_exhausted:
        return error::sequence_exhausted;
    case path_unstable:
    case path_renewed: // for a multi_lock alone, which starts over
        return error::path_unstable;
    case nested_path:
        return error::nested_path;
    case owner_unknown:
        return error::owner_unknown;
    case path_has_data:
        return error::path_has_data;
    case wrong_kind:
        return error::wrong_kind;
    case too_many:
        return error::too_many;
    case limit_differs:
        return error::limit_differs;
    case no_limit:
        return error::no_limit;
    case lost_expired:
        return error::session_expired;
    case lost_deadline:
        return error::lease_lost;
    case lost_deleted:
        return error::ticket_deleted;
    case server_error:
        break;
    }
    if (code == protocol::zookeeper_code::too_large)
        return error::request_too_large;
    if (code == protocol::zookeeper_code::ok) // a failure must never read as a success
        code = protocol::zookeeper_code::system_error;
    return {static_cast<int>(code), zookeeper_category()};
}

} // namespace turnstile::detail
