// SPDX-License-Identifier: BSL-1.0
// Signals to this process.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <csignal>
#include <functional>

namespace turnstile::command {

/// Reports signals to a listener; they have no other effect meanwhile. Signals that are ignored
/// stay so, as nohup wants it. Signals that the parent has blocked are reported as well.
///
/// Make it before the process has a second thread.
class signal_watch {
public:
    /// `from_terminal`: a key sent it, so the whole foreground group has got it. (A hang-up may go
    /// to the leader of the session alone.)
    using listener = std::function<void(int number, bool from_terminal)>;

    signal_watch(const boost::asio::any_io_executor& executor, listener on_signal);
    signal_watch(const signal_watch&) = delete;
    signal_watch& operator=(const signal_watch&) = delete;
    ~signal_watch();

    /// From now on reports this signal, too.
    void add(int number);

private:
    /// Waits for signals, and reports them.
    void await();

    const listener on_signal_;
    sigset_t before_{}; // the mask of this thread before, which the destructor sets again
    sigset_t watched_{};
    boost::asio::posix::stream_descriptor signals_; // a signalfd for watched_
};

/// Ignores SIGPIPE and the terminal's stop at output: a lock is kept even if nothing reads what
/// this process writes.
void ignore_output_signals();

/// Ends this process as the signal would, so that a shell around it stops, too. If the signal has
/// no effect, as on the first process of a container, this returns the exit code for it.
int end_by(int signal);

} // namespace turnstile::command
