// SPDX-License-Identifier: BSL-1.0
// holder SERVERS GUARD PATH TIMEOUT_MS [CA CERTIFICATE KEY]: holds a lock with a session that a
// host guard knows, until it is killed; with files, by TLS. Says a line for each lock held and
// lost, and for each line of its log. It obeys lines on its standard input: "close" ends its
// session; "fork" makes a child that goes on with the context.
#include <turnstile.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

namespace asio = boost::asio;
constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

void tell(std::string line) {
    line += '\n';
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, line.data(), line.size());
}

class holder {
public:
    holder(const std::string& servers, const std::string& guard, std::string path, int timeout,
           std::optional<turnstile::tls_options> tls)
        : path_(std::move(path)),
          session_(context_,
                   {.servers = servers,
                    .timeout = std::chrono::milliseconds(timeout),
                    .tls = std::move(tls),
                    .host_guard = guard,
                    .log = {.level = turnstile::log_level::info,
                            .sink = [](turnstile::log_level level, std::string_view text) {
                                const bool bad = level >= turnstile::log_level::warning;
                                tell((bad ? "warning: " : "log: ") + std::string(text));
                            }}}) {}

    void run() {
        tell("pid " + std::to_string(::getpid()));
        asio::co_spawn(context_, hold(), asio::detached);
        asio::co_spawn(context_, obey(), asio::detached);
        context_.run();
    }

private:
    asio::awaitable<void> hold() {
        turnstile::mutex lock(session_, path_);
        for (;;) {
            auto [failed, held] = co_await lock.acquire(no_throw);
            if (failed)
                co_return tell("failed: " + failed.message());
            tell("held");
            co_await held.wait_lost(no_throw);
            tell("lost");
        }
    }

    asio::awaitable<void> obey() {
        std::string line;
        while (true) {
            const auto [failed, size] =
                co_await asio::async_read_until(input_, asio::dynamic_buffer(line), '\n', no_throw);
            if (failed)
                co_return;
            const auto order = line.substr(0, size - 1);
            line.erase(0, size);
            if (order == "close") {
                co_await session_.close(no_throw);
                tell("close is done");
            } else if (order == "fork") {
                fork_child();
            }
        }
    }

    void fork_child() {
        context_.notify_fork(asio::execution_context::fork_prepare);
        const auto child = ::fork();
        if (child == 0) {
            input_.close();
            context_.notify_fork(asio::execution_context::fork_child);
            return; // and goes on, with the session of its parent
        }
        context_.notify_fork(asio::execution_context::fork_parent);
        tell("child " + std::to_string(child));
    }

    asio::io_context context_{1};
    const std::string path_;
    turnstile::session session_;
    asio::posix::stream_descriptor input_{context_, ::dup(STDIN_FILENO)};
};

} // namespace

int main(int argc, char** argv) {
    std::optional<turnstile::tls_options> tls;
    if (argc == 8)
        tls = {.authorities_file = argv[5], .certificate_file = argv[6], .key_file = argv[7]};
    else if (argc != 5)
        return 2;
    holder(argv[1], argv[2], argv[3], std::atoi(argv[4]), std::move(tls)).run();
}
