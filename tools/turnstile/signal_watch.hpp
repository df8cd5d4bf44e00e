// SPDX-License-Identifier: BSL-1.0
// Signals to this process.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <csignal>
#include <functional>

namespace turnstile::command {

/// Tells of signals, which have no other effect meanwhile. Those that are ignored stay so, as nohup
/// wants it. Those that the parent has blocked are told as well.
///
/// Make it before the process has a thread.
class signal_watch {
public:
    /// `from_terminal`: by a key or its end, so the whole foreground has it.
    using listener = std::function<void(int number, bool from_terminal)>;

    signal_watch(const boost::asio::any_io_executor& executor, listener on_signal);
    signal_watch(const signal_watch&) = delete;
    signal_watch& operator=(const signal_watch&) = delete;
    ~signal_watch();

    void add(int number);

private:
    void await();

    const listener on_signal_;
    sigset_t before_{};
    sigset_t watched_{};
    boost::asio::posix::stream_descriptor signals_;
};

/// Nobody may read what this process says, nor may the terminal stop it.
void ignore_output_signals();

/// Ends this process as the signal would, so that a shell around it stops, too. Returns an exit
/// code where the signal has no effect: to the first process of a container.
int end_by(int signal);

} // namespace turnstile::command
