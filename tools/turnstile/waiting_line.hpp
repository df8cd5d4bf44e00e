// The line on the terminal while a lock is waited for.
#pragma once

#include "wanted_lock.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace turnstile::command {

/// Says who holds the lock, for how long that one has been in line, and how many are ahead, and
/// keeps it up to date. The line goes with the object. Where the standard error is no terminal, it
/// says nothing.
class waiting_line {
public:
    waiting_line(wanted_lock& lock, std::string path);
    waiting_line(const waiting_line&) = delete;
    waiting_line& operator=(const waiting_line&) = delete;
    ~waiting_line();

    /// Never returns by itself: cancel it.
    boost::asio::awaitable<void> keep();

private:
    void show(const std::string& text);

    wanted_lock& lock_;
    const std::string path_;
    const bool terminal_;
    bool shown_ = false;
};

} // namespace turnstile::command
