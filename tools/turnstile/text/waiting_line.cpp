// SPDX-License-Identifier: BSL-1.0
#include "text/waiting_line.hpp"

#include "text/holder_text.hpp"
#include "text/printable.hpp"
#include "text/say.hpp"

#include <turnstile/session.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/core.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr auto erase_line = "\r\033[K";
constexpr std::chrono::milliseconds first_look{300};  // a lock that is free needs no line
constexpr std::chrono::milliseconds late_look{5'000}; // nor does one that is soon free, in a log
constexpr std::chrono::seconds next_look{2};
constexpr std::chrono::milliseconds no_patience{0};
constexpr std::size_t longest_line = 1000;

std::size_t terminal_width() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Whether this process is in the background: then its shell or another job has the terminal.
bool is_in_background() {
    const auto foreground = ::tcgetpgrp(STDERR_FILENO);
    return foreground > 0 && foreground != ::getpgrp();
}

/// The line in full, however long it is.
std::string whole_text(const std::string& path, const std::vector<participant>& line) {
    const auto ahead = waiting_ahead(line);
    return fmt::format("waiting for {}{}: {}", path,
                       ahead == 0 ? "" : fmt::format(", {} ahead", ahead), holder_text(line));
}

/// Such as: waiting for /locks/deploy, 1 ahead: held by alpha (pid 4711), in line for 3 min 12 s
///
/// It has at most `most` columns. In a longer one the holder's label is cut first, then the path.
std::string waiting_text(const std::string& path, std::vector<participant> line, std::size_t most) {
    auto text = whole_text(path, line);
    // How many columns the part may keep.
    const auto room = [&](const std::string& part) {
        const auto excess = columns_of(text) - std::min(columns_of(text), most);
        return columns_of(part) - std::min(columns_of(part), excess);
    };
    if (const auto holder = std::ranges::find_if(line, &participant::holds); holder != line.end()) {
        holder->label = shown_name(holder->label); // as it is shown
        holder->label = begin_of(holder->label, room(holder->label));
        text = whole_text(path, line);
    }
    return begin_of(whole_text(end_of(path, room(path)), line), most);
}

} // namespace

waiting_line::waiting_line(wanted_lock& lock, const session& own, std::string path, manner how)
    : lock_(lock), session_(own), path_(std::move(path)), manner_(how) {}

waiting_line::~waiting_line() {
    if (shown_ > 0)
        write_error(erasing(), no_patience);
}

asio::awaitable<void> waiting_line::keep() {
    constexpr auto never = asio::steady_timer::time_point::max();
    asio::steady_timer timer(co_await asio::this_coro::executor,
                             manner_ == manner::late ? late_look : first_look);
    if (manner_ == manner::silent)
        timer.expires_at(never);
    for (;;) {
        co_await timer.async_wait(asio::use_awaitable);
        if (manner_ == manner::live) {
            // A line that the terminal breaks could not be erased.
            if (!is_in_background())
                show(co_await text(terminal_width() - 1));
            timer.expires_after(next_look);
        } else {
            say(co_await text(longest_line));
            timer.expires_at(never);
        }
    }
}

asio::awaitable<std::string> waiting_line::text(std::size_t most) {
    if (session_.state() != session_state::connected)
        co_return begin_of("waiting for " + path_ + ": no server answers", most);
    auto line = co_await lock_.list_participants(1);
    co_return waiting_text(path_, std::move(line), most);
}

void waiting_line::show(const std::string& text) {
    write_error(erasing() + text, no_patience); // the terminal may be gone or stopped
    shown_ = columns_of(text);
}

// Returns the text that erases the line. A terminal that was made narrower may have broken it in
// two, which cannot be erased. So a new line is begun there.
std::string waiting_line::erasing() const { return shown_ < terminal_width() ? erase_line : "\n"; }

} // namespace turnstile::command
