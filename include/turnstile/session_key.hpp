// SPDX-License-Identifier: BSL-1.0
// The key of a session, with which another process can end it.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
#include <turnstile/error.hpp>
#include <turnstile/tls.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/deferred.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile {

namespace detail {
class session_end;
TURNSTILE_API const boost::asio::any_io_executor& executor_of(const session_end& owner) noexcept;
} // namespace detail

/// The servers, the id and the password of a session, as `session::key()` returns them. A key is a
/// secret: anybody who has it can end the session.
struct session_key {
    std::string servers{};               ///< as `session_options::servers`
    std::int64_t id = 0;                 ///< 0: there is no session
    std::array<char, 16> password{};     ///< ZooKeeper's, of this one session
    std::chrono::milliseconds timeout{}; ///< as negotiated
    std::optional<tls_options> tls{};    ///< as `session_options::tls`

    TURNSTILE_API ~session_key(); ///< overwrites the password

    /// Writes the key as a text for another process, one setting a line. Names of files become
    /// absolute. A `tls_options::context` is left out.
    TURNSTILE_API std::string str() const;
    /// Reads such a text. If it is no key, returns nothing, and `wrong`, if given, says why.
    TURNSTILE_API static std::optional<session_key> parse(std::string_view text,
                                                          std::string* wrong = nullptr);
};

namespace detail {
using end_handler = erased_handler<void(error_code)>;
TURNSTILE_API std::shared_ptr<session_end> make_end(const boost::asio::any_io_executor& executor,
                                                    const session_key& which, bool keeps = false);
TURNSTILE_API void start_end(const std::shared_ptr<session_end>& end, end_handler done);
} // namespace detail

/**
 * @brief Ends a session whose process is dead.
 *
 * Others get its locks at once. If its process lives, the process loses the session, and its locks
 * without the usual time to stop. So be sure that the process is gone.
 *
 * It tries all servers, with a back-off, until one says that the session is over, or for two
 * session timeouts.
 *
 * @par Errors
 * - `error::bad_servers`, `error::bad_options`: the key's servers or its TLS cannot be used.
 * - `asio::error::invalid_argument`: the key is that of no session: its id is 0.
 * - `error::unreachable`: no server has ended the session. `diagnostics` say why.
 *
 * @par Per-operation cancellation
 * Terminal: the operation completes with `operation_aborted`. The session may have ended.
 */
template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
auto end_session(const boost::asio::any_io_executor& executor, const session_key& which,
                 Token&& token = Token{}) {
    return detail::initiate<void(error_code), Token>(detail::make_end(executor, which),
                                                     &detail::start_end, token);
}

/**
 * @brief Keeps a session alive whose process is dead, so that nobody gets its locks.
 *
 * Use it to clear up before others work. It connects four times in each session timeout, until it
 * is cancelled or the session is over.
 *
 * @par Errors
 * It has the errors of `end_session`. If the session is over, it succeeds: no lock is held any
 * more.
 *
 * @par Per-operation cancellation
 * Terminal, partial and total: the operation completes with `operation_aborted`. The session goes
 * on for its timeout, or until `end_session`.
 */
template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
auto keep_session(const boost::asio::any_io_executor& executor, const session_key& which,
                  Token&& token = Token{}) {
    return detail::initiate<void(error_code), Token>(detail::make_end(executor, which, true),
                                                     &detail::start_end, token);
}

} // namespace turnstile
