#include "guarded_program.hpp"

#include "guardian.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

guarded_program::guarded_program(std::vector<std::string> argv, std::string lock) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    unique_fd here(ends[0]);
    unique_fd there(ends[1]);
    guardian_process_ = ::fork();
    if (guardian_process_ < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (guardian_process_ == 0) {
        here.reset();
        try {
            guardian(std::move(there), std::move(argv), std::move(lock)).watch();
        } catch (const std::exception&) {
            ::_exit(1); // turnstile sees that the guardian has gone
        }
        ::_exit(0);
    }
    guardian_ = std::move(here);
}

void guarded_program::end() noexcept {
    guardian_.reset();
    while (::waitpid(guardian_process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void guarded_program::order(const guard_order& what) const {
    // A guardian that stands still must not stop turnstile, too.
    ::send(guardian_.get(), &what, sizeof what, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void guarded_program::start(const std::string& token) {
    guard_order what{.what = guard_order::kind::start};
    std::copy_n(token.begin(), std::min(token.size(), what.token.size() - 1), what.token.begin());
    order(what);
}

void guarded_program::kill_at(lease_clock::time_point when) {
    // 0 would be never: the epoch is long over.
    order({.what = guard_order::kind::kill_at,
           .value = std::max<std::int64_t>(when.time_since_epoch().count(), 1)});
}

void guarded_program::signal(int number) {
    order({.what = guard_order::kind::signal, .value = number});
}

asio::awaitable<std::optional<guard_report>> guarded_program::next_report() {
    // A descriptor of its own: the socket stays when the context goes.
    asio::posix::stream_descriptor ready(co_await asio::this_coro::executor,
                                         ::fcntl(guardian_.get(), F_DUPFD_CLOEXEC, 0));
    for (;;) {
        guard_report what;
        const auto got = ::recv(guardian_.get(), &what, sizeof what, MSG_DONTWAIT);
        if (got == sizeof what) {
            if (what.what == guard_report::kind::started)
                group_ = what.value;
            if (what.what == guard_report::kind::empty)
                group_ = 0;
            co_return what;
        }
        if (got >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
        co_await ready.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    }
    if (group_ != 0)
        ::kill(-std::exchange(group_, 0), SIGKILL); // the guardian was killed: do its work
    co_return std::nullopt;
}

} // namespace turnstile::command
