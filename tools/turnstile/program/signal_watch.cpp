// SPDX-License-Identifier: BSL-1.0
#include "program/signal_watch.hpp"

#include "exit_code.hpp"

#include <turnstile/error.hpp>

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace {

int new_signal_fd(const sigset_t& watched) {
    const int result = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), "signalfd");
    return result;
}

sigset_t no_signals() {
    sigset_t none;
    ::sigemptyset(&none);
    return none;
}

bool is_ignored(int signal) {
    struct sigaction now {};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

} // namespace

signal_watch::signal_watch(const boost::asio::any_io_executor& executor, listener on_signal)
    : on_signal_(std::move(on_signal)),
      watched_(no_signals()),
      signals_(executor, new_signal_fd(watched_)) {
    ::pthread_sigmask(SIG_BLOCK, nullptr, &before_);
    await();
}

signal_watch::~signal_watch() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void signal_watch::add(int number) {
    if (is_ignored(number))
        return;
    ::sigaddset(&watched_, number);
    ::pthread_sigmask(SIG_BLOCK, &watched_, nullptr);
    ::signalfd(signals_.native_handle(), &watched_, 0);
}

void signal_watch::await() {
    signals_.async_wait(
        boost::asio::posix::stream_descriptor::wait_read, [this](const error_code& cancelled) {
            if (cancelled)
                return;
            signalfd_siginfo caught{};
            while (::read(signals_.native_handle(), &caught, sizeof caught) == sizeof caught)
                on_signal_(static_cast<int>(caught.ssi_signo),
                           caught.ssi_code == SI_KERNEL && caught.ssi_signo != SIGHUP);
            await();
        });
}

void ignore_output_signals() {
    for (const int each : {SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU})
        std::signal(each, SIG_IGN);
}

int end_by(int signal) {
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::signal(signal, SIG_DFL);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(signal);
    return signalled_by(signal);
}

} // namespace turnstile::command
