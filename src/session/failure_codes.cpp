// SPDX-License-Identifier: BSL-1.0
#include "session/failure_codes.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace turnstile::detail {

namespace {

using protocol::failure;
using enum failure;

constexpr std::array codes{
    std::pair{timed_out, error::timeout},
    std::pair{would_block, error::would_block},
    std::pair{would_deadlock, error::would_deadlock},
    std::pair{unreachable, error::unreachable},
    std::pair{connect_timed_out, error::connect_timeout},
    std::pair{not_exclusive, error::not_exclusive},
    std::pair{not_shared, error::not_shared},
    std::pair{not_alone, error::not_alone},
    std::pair{names_forbid, error::names_forbid},
    std::pair{session_closed, error::session_closed},
    std::pair{session_full, error::session_full},
    std::pair{create_denied, error::create_denied},
    std::pair{read_denied, error::read_denied},
    std::pair{write_denied, error::write_denied},
    std::pair{release_denied, error::release_denied},
    std::pair{auth_failed, error::auth_failed},
    std::pair{no_chroot, error::no_chroot},
    std::pair{sequence_exhausted, error::sequence_exhausted},
    std::pair{path_unstable, error::path_unstable},
    std::pair{path_renewed, error::path_unstable}, // for a multi_lock alone
    std::pair{nested_path, error::nested_path},
    std::pair{owner_unknown, error::owner_unknown},
    std::pair{path_has_data, error::path_has_data},
    std::pair{wrong_kind, error::wrong_kind},
    std::pair{too_many, error::too_many},
    std::pair{limit_differs, error::limit_differs},
    std::pair{no_limit, error::no_limit},
    std::pair{lost_expired, error::session_expired},
    std::pair{lost_deadline, error::lease_lost},
    std::pair{lost_deleted, error::ticket_deleted},
};

// All before server_error, but for none, cancelled and taken_back.
static_assert(codes.size() + 3 == static_cast<std::size_t>(server_error));

} // namespace

error_code to_error_code(failure why, protocol::zookeeper_code code) {
    if (why == none)
        return {};
    if (why == cancelled || why == taken_back) // taken back: a multi_lock asks again
        return boost::asio::error::operation_aborted;
    const auto* const known = std::ranges::find(codes, why, &std::pair<failure, error>::first);
    if (known != codes.end())
        return known->second;
    if (code == protocol::zookeeper_code::too_large)
        return error::request_too_large;
    if (code == protocol::zookeeper_code::ok) // a failure must never read as a success
        code = protocol::zookeeper_code::system_error;
    return {static_cast<int>(code), zookeeper_category()};
}

} // namespace turnstile::detail
