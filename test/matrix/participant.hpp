// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "subject.hpp"

#include "support/certificates.hpp"
#include "support/lock_user.hpp"

#include <turnstile/session.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace turnstile::matrix {

/// One session with one user of the lock, and what its operations came to.
class participant {
public:
    /// No fault is meant for the lucky ones: they lose nothing where a machine is slow.
    static constexpr std::chrono::milliseconds lucky_timeout{20'000};

    /// A second session is at `side_server`, if that is one.
    participant(boost::asio::io_context& context, const std::string& servers,
                std::chrono::milliseconds timeout, const subject& lock, role how,
                const std::string& path, test::journal& book, const std::string& side_server = {},
                const test::certificates* shown = nullptr);

    void connect();
    void close();
    /// From now on the lock is released as soon as it was held for this time.
    void move_on(std::chrono::milliseconds hold_for);

    [[nodiscard]] bool is_connected() const { return line.state() == session_state::connected; }
    /// Each operation that was started has completed.
    [[nodiscard]] bool is_done() const {
        return user.started == user.completed && operations == completions;
    }

    session line;                ///< to the servers
    std::optional<session> side; ///< a second one, which nothing happens to
    test::lock_user user;
    std::optional<error_code> connected; ///< what connect told
    std::optional<error_code> closed;
    int operations = 0; ///< connect and close
    int completions = 0;
};

} // namespace turnstile::matrix
