// SPDX-License-Identifier: BSL-1.0
// The line that is shown while a lock is waited for.
#pragma once

#include "taking/wanted_lock.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>

namespace turnstile::command {

/// Says who holds the lock, how long that holder has been in line, and how many are ahead. On a
/// terminal the line is kept up to date, and the destructor erases it. lock_taker makes one for
/// each wait, and runs keep() beside the acquire.
class waiting_line {
public:
    enum class manner {
        silent,
        once, ///< one line, after a moment
        late, ///< one line for a log, if the wait takes some seconds
        live, ///< a line on a terminal, kept up to date
    };

    waiting_line(wanted_lock& lock, const session& own, std::string path, manner how);
    waiting_line(const waiting_line&) = delete;
    waiting_line& operator=(const waiting_line&) = delete;
    ~waiting_line();

    /// Shows the line. Never returns by itself: cancel it.
    boost::asio::awaitable<void> keep();

private:
    /// Asks who holds the lock, and writes that in at most so many columns.
    boost::asio::awaitable<std::string> text(std::size_t most);
    /// Shows the text in place of the line before.
    void show(const std::string& text);
    std::string erasing() const;

    wanted_lock& lock_;
    const session& session_;
    const std::string path_;
    const manner manner_;
    std::size_t shown_ = 0; ///< how many columns are shown
};

} // namespace turnstile::command
