// SPDX-License-Identifier: BSL-1.0
#include "program/input_end.hpp"

#include "command_failure.hpp"
#include "program/unique_fd.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

/// Whether the input is of a kind that ends. A FIFO that is open for writing, too, does not: it is
/// its own writer.
bool has_end() {
    struct stat input {};
    if (::fstat(STDIN_FILENO, &input) != 0)
        return false;
    const bool is_only_read = (::fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;
    return (S_ISFIFO(input.st_mode) && is_only_read) || S_ISSOCK(input.st_mode) ||
           ::isatty(STDIN_FILENO) == 1;
}

} // namespace

input_end::input_end() : watched_(::epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event wanted{.events = EPOLLRDHUP, .data = {}}; // epoll reports EPOLLHUP in any case
    if (!has_end() || ::epoll_ctl(watched_.get(), EPOLL_CTL_ADD, STDIN_FILENO, &wanted) != 0)
        throw command_failure(
            exit_code::bad_usage,
            "the standard input has no end that could be waited for\n"
            "The lock is held until it ends. Give the reading end of a pipe, a socket or a "
            "terminal: no file, no device, no FIFO that is open for writing as well.");
}

asio::awaitable<void> input_end::wait() {
    asio::posix::stream_descriptor ready(co_await asio::this_coro::executor, watched_.release());
    co_await ready.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
}

} // namespace turnstile::command
