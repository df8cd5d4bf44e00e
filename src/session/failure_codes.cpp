// SPDX-License-Identifier: BSL-1.0
#include "session/failure_codes.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace turnstile::detail {

error_code to_error_code(protocol::failure why, protocol::zookeeper_code code) {
    using enum protocol::failure;
    static constexpr std::pair<protocol::failure, error> codes[]{
        {timed_out, error::timeout},
        {would_block, error::would_block},
        {would_deadlock, error::would_deadlock},
        {unreachable, error::unreachable},
        {connect_timed_out, error::connect_timeout},
        {not_held, error::not_held},
        {not_exclusive, error::not_exclusive},
        {not_shared, error::not_shared},
        {not_alone, error::not_alone},
        {names_forbid, error::names_forbid},
        {session_closed, error::session_closed},
        {session_full, error::session_full},
        {create_denied, error::create_denied},
        {read_denied, error::read_denied},
        {write_denied, error::write_denied},
        {release_denied, error::release_denied},
        {auth_failed, error::auth_failed},
        {no_chroot, error::no_chroot},
        {sequence_exhausted, error::sequence_exhausted},
        {path_unstable, error::path_unstable},
        {path_renewed, error::path_unstable}, // for a multi_lock alone
        {nested_path, error::nested_path},
        {owner_unknown, error::owner_unknown},
        {path_has_data, error::path_has_data},
        {wrong_kind, error::wrong_kind},
        {too_many, error::too_many},
        {limit_differs, error::limit_differs},
        {no_limit, error::no_limit},
        {lost_expired, error::session_expired},
        {lost_deadline, error::lease_lost},
        {lost_deleted, error::ticket_deleted},
    };
    // All before server_error, but for none, cancelled and taken_back.
    static_assert(std::size(codes) + 3 == static_cast<unsigned>(server_error));
    if (why == none)
        return {};
    if (why == cancelled || why == taken_back) // taken back: a multi_lock asks again
        return boost::asio::error::operation_aborted;
    const auto* const known =
        std::ranges::find(codes, why, [](const auto& each) { return each.first; });
    if (known != std::end(codes))
        return known->second;
    if (code == protocol::zookeeper_code::too_large)
        return error::request_too_large;
    if (code == protocol::zookeeper_code::ok) // a failure must never read as a success
        code = protocol::zookeeper_code::system_error;
    return {static_cast<int>(code), zookeeper_category()};
}

} // namespace turnstile::detail
