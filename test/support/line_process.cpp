// SPDX-License-Identifier: BSL-1.0
#include "line_process.hpp"

#include "unique_fd.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace turnstile::test {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

// A program has five seconds to end its session, and then ends without that.
constexpr milliseconds longest_end{7'000};
constexpr std::size_t longest_answer = 1024 * 1024;

struct pipe_ends {
    unique_fd read;
    unique_fd write;
};

pipe_ends make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::system_error{errno, std::generic_category(), "pipe2"};
    return {unique_fd{ends[0]}, unique_fd{ends[1]}};
}

} // namespace

line_process::line_process(const asio::any_io_executor& executor,
                           const std::vector<std::string>& argv, const std::filesystem::path& log)
    : commands_{executor}, answers_{executor} {
    auto to_child = make_pipe();
    auto from_child = make_pipe();
    process_.emplace(child_process::options{.argv = argv,
                                            .output_file = log,
                                            .input = to_child.read.get(),
                                            .output = from_child.write.get()});
    commands_.assign(to_child.write.release());
    answers_.assign(from_child.read.release());
}

asio::awaitable<std::string> line_process::line() {
    error_code failure;
    const auto size =
        co_await asio::async_read_until(answers_, asio::dynamic_buffer(received_, longest_answer),
                                        '\n', asio::redirect_error(asio::use_awaitable, failure));
    if (failure)
        co_return std::string{};
    const auto result = received_.substr(0, size - 1);
    received_.erase(0, size);
    co_return result;
}

asio::awaitable<std::string> line_process::ask(std::string_view what) {
    const auto text = std::string{what} + '\n';
    const auto [failure, size] = co_await asio::async_write(commands_, asio::buffer(text),
                                                            asio::as_tuple(asio::use_awaitable));
    (void)failure; // then its output has ended, too, and line() returns
    (void)size;
    co_return co_await line();
}

void line_process::hang_up() noexcept {
    if (!hung_up_) {
        hung_up_ = clock::now();
        error_code ignored;
        commands_.close(ignored);
    }
}

void line_process::kill_if_overdue(clock::time_point now) noexcept {
    if (hung_up_ && now - *hung_up_ >= longest_end)
        process_->kill_and_wait();
}

asio::awaitable<void> line_process::end() {
    hang_up();
    asio::steady_timer timer{commands_.get_executor()};
    while (process_->running()) {
        kill_if_overdue(clock::now());
        timer.expires_after(milliseconds{5});
        co_await timer.async_wait(asio::use_awaitable);
    }
}

} // namespace turnstile::test
