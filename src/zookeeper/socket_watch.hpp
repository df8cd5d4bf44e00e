// When the C client's socket can be read or written, as the reactor tells.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/strand.hpp>

#include <utility>

namespace turnstile::zookeeper {

/// Works on duplicates: the number of a socket may be in use again the moment the handle closes it.
/// Whoever has once asked the reactor for writability is woken by it ever after, so each direction
/// has one of its own. Handlers run on the strand, with operation_aborted after close().
class socket_watch {
public:
    using strand = boost::asio::strand<boost::asio::any_io_executor>;

    explicit socket_watch(const strand& executor) : readable_(executor), writable_(executor) {}

    /// False where the process or the reactor has no room for another descriptor.
    bool open(int socket) { return duplicate(socket, readable_); }
    void close() noexcept {
        close(readable_);
        close(writable_);
    }
    /// Reads past all that has arrived. True if nothing comes any more.
    bool drain() noexcept;

    template <class Handler>
    void wait_readable(Handler handler) {
        readable_.async_wait(descriptor::wait_read, std::move(handler));
    }

    bool waits_for_writability() const { return writable_.is_open(); }
    void end_wait_for_writability() noexcept { close(writable_); }
    /// False as open().
    template <class Handler>
    bool wait_writable(int socket, Handler handler) {
        if (!duplicate(socket, writable_))
            return false;
        writable_.async_wait(descriptor::wait_write, std::move(handler));
        return true;
    }

private:
    // On the strand by itself: nothing has to be bound to it at each wait.
    using descriptor = boost::asio::posix::basic_stream_descriptor<strand>;

    static bool duplicate(int socket, descriptor& to);
    static void close(descriptor& on) noexcept;

    descriptor readable_;
    descriptor writable_;
};

} // namespace turnstile::zookeeper
