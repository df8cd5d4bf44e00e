// SPDX-License-Identifier: BSL-1.0
// What is said while a lock is waited for.
#pragma once

#include "wanted_lock.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>

namespace turnstile::command {

/// Says who holds the lock, for how long that one has been in line, and how many are ahead. On a
/// terminal this is a line that is kept up to date, and goes with the object.
class waiting_line {
public:
    enum class manner {
        silent,
        once, ///< one line for a log
        late, ///< the same, where it takes some seconds
        live, ///< on a terminal
    };

    waiting_line(wanted_lock& lock, const session& own, std::string path, manner how);
    waiting_line(const waiting_line&) = delete;
    waiting_line& operator=(const waiting_line&) = delete;
    ~waiting_line();

    /// Never returns by itself: cancel it.
    boost::asio::awaitable<void> keep();

private:
    boost::asio::awaitable<std::string> text(std::size_t most);
    void show(const std::string& text);
    std::string erasing() const;

    wanted_lock& lock_;
    const session& session_;
    const std::string path_;
    const manner manner_;
    std::size_t shown_ = 0; ///< so many columns
};

} // namespace turnstile::command
