// SPDX-License-Identifier: BSL-1.0
// What the guard does with Unix sockets.
#pragma once

#include "unique_fd.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/socket.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::command {

/// A socket with a file name that takes connections from whom the mode lets in.
class guard_socket {
public:
    /// Takes the place of one that nobody listens at. Throws command_failure.
    guard_socket(std::string path, mode_t mode);
    guard_socket(const guard_socket&) = delete;
    guard_socket& operator=(const guard_socket&) = delete;
    /// Removes its file, unless another one stands there by now.
    ~guard_socket();

    unique_fd& listening() { return listening_; }

private:
    const std::string path_;
    unique_fd listening_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

struct guard_request {
    std::string text{};
    std::vector<unique_fd> descriptors{};
    bool cut = false; ///< a part of it was too much
};

/// What has arrived. Nothing where nothing has, and an empty text where the other side has gone.
std::optional<guard_request> receive(int socket);

/// As far as the other side takes it: it is never waited for.
void answer(int socket, std::string_view text);

/// Who made the connection. Its process is 0 where that cannot be seen from here.
ucred peer_of(int socket);

/// False where the other side takes none for now.
bool send_descriptor(int socket, int descriptor);

/// Also leaves the standard ones open. For a child that was forked.
void close_all_but(std::vector<int> kept) noexcept;

/// As fork(). A signal that comes before the child has its own way with it is not told to the
/// parent.
pid_t fork_apart();

/// Closes connections. Whatever lies in them is closed with the last descriptor of each, and can
/// hang who does that: a socket may linger, for as long as its sender likes. A process that ends
/// waits for no socket. So a child has them until this one has closed them, and ends. False where
/// no child can be made: then all stay open.
bool close_in_child(std::vector<unique_fd>& all);

/// Watches it. Throws where the kernel watches no more for this user (epoll); then it stays open.
boost::asio::posix::stream_descriptor watched(boost::asio::io_context& context, unique_fd& fd);

/// The process of a pidfd: 0 where it cannot be seen from here, -1 where it is gone. Nothing where
/// the descriptor is no pidfd.
std::optional<pid_t> process_of_pidfd(int fd);

/// Tells systemd, if it started this process, that the service is ready.
void notify_ready();

} // namespace turnstile::command
