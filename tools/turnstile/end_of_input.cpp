// SPDX-License-Identifier: BSL-1.0
#include "end_of_input.hpp"

#include "unique_fd.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

namespace turnstile::command {

namespace asio = boost::asio;

asio::awaitable<void> end_of_input() {
    // Asio would set the input to non-blocking, which the shell has, too: it watches this instead.
    unique_fd watched(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event wanted{.events = EPOLLIN, .data = {}};
    const bool can_wait = // a file and /dev/null are always ready
        ::epoll_ctl(watched.get(), EPOLL_CTL_ADD, STDIN_FILENO, &wanted) == 0;
    const auto executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor ready(executor, watched.release());
    asio::steady_timer pause(executor);
    std::array<char, 4096> dropped{};
    for (;;) {
        if (can_wait)
            co_await ready.async_wait(asio::posix::stream_descriptor::wait_read,
                                      asio::use_awaitable);
        const auto got = ::read(STDIN_FILENO, dropped.data(), dropped.size());
        if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)))
            continue;
        if (got == 0 || errno != EIO || ::isatty(STDIN_FILENO) != 1)
            co_return;
        pause.expires_after(std::chrono::seconds(1)); // the terminal is others' now
        co_await pause.async_wait(asio::use_awaitable);
    }
}

} // namespace turnstile::command
