#include "waiting_line.hpp"

#include "waiting_text.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr auto erase_line = "\r\033[K";
constexpr std::chrono::milliseconds first_look{300}; // a lock that is free needs no line
constexpr std::chrono::seconds next_look{2};

std::size_t terminal_width() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace

waiting_line::waiting_line(wanted_lock& lock, std::string path)
    : lock_(lock), path_(std::move(path)), terminal_(::isatty(STDERR_FILENO) == 1) {}

waiting_line::~waiting_line() {
    if (shown_)
        std::fputs(erase_line, stderr);
}

asio::awaitable<void> waiting_line::keep() {
    asio::steady_timer timer(co_await asio::this_coro::executor, first_look);
    if (!terminal_)
        timer.expires_at(asio::steady_timer::time_point::max());
    for (;;) {
        co_await timer.async_wait(asio::use_awaitable);
        auto line = co_await lock_.participants(1);
        // A line that the terminal breaks could not be erased.
        show(waiting_text(path_, std::move(line), terminal_width() - 1));
        timer.expires_after(next_look);
    }
}

void waiting_line::show(const std::string& text) {
    shown_ = true;
    std::fputs((erase_line + text).c_str(), stderr); // the terminal may be gone
    std::fflush(stderr);
}

} // namespace turnstile::command
