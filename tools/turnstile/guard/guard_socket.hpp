// SPDX-License-Identifier: BSL-1.0
// The guard's Unix socket, its messages, and what its processes do with descriptors.
#pragma once

#include "program/unique_fd.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/socket.h>
#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::command {

/// A listening socket with a file name. The file's mode says who may connect.
class guard_socket {
public:
    /// Replaces a socket file that nobody listens at any more. Throws command_failure.
    guard_socket(std::string path, mode_t mode);
    guard_socket(const guard_socket&) = delete;
    guard_socket& operator=(const guard_socket&) = delete;
    /// Removes its file, unless another one has its name by now.
    ~guard_socket();

    unique_fd& listening() { return listening_; }
    /// Keeps these users out from now on, and no others, by the access control list of the socket's
    /// file. False if the file system has no such lists.
    bool shut_out(const std::set<uid_t>& users);

private:
    const std::string path_;
    const mode_t mode_;
    unique_fd listening_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

struct guard_request {
    std::string text{};
    std::vector<unique_fd> descriptors{};
    bool cut = false; ///< it was too long: a part is missing
};

/// Returns the request that has arrived; nothing if none has; an empty text if the other side has
/// closed. It never waits.
std::optional<guard_request> receive(int socket);

/// Sends the text, or a part of it, or nothing: it never waits for the other side.
void answer(int socket, std::string_view text);

/// Returns who made the connection. The process is 0 if it cannot be seen from here.
ucred peer_of(int socket);

/// Sends a descriptor. Returns false if the other side takes none for now.
bool send_descriptor(int socket, int descriptor);

/// Closes all descriptors but these and the standard ones. For a child that was forked.
void close_all_but(std::vector<int> kept) noexcept;

/// Does what fork() does, with the default actions for SIGINT and SIGTERM in the child: no signal
/// to the child reaches the parent's handlers.
pid_t fork_apart();

/// Closes connections without a wait. To close the last descriptor of a connection also closes the
/// descriptors that were sent over it and not received. That can hang, for as long as their sender
/// likes: a socket may linger, and a set of epoll may be in use. So a child keeps the connections
/// open until this process has closed them, and then ends. Its end closes them for good.
///
/// Returns a descriptor that can be read once the child has ended, which may be never. Returns none
/// if no child can be made: then all connections stay open.
unique_fd close_in_child(std::vector<unique_fd>& all);

/// Hands the descriptor over to the reactor. Throws if the kernel lets this user watch no more
/// (epoll): then the descriptor stays as it was.
boost::asio::posix::stream_descriptor watched(boost::asio::io_context& context, unique_fd& fd);

/// Returns the process of a pidfd: 0 if it cannot be seen from here, -1 if it has ended. Nothing if
/// the descriptor is no pidfd.
std::optional<pid_t> process_of_pidfd(int fd);

/// Tells systemd, if it started this process, that the service is ready.
void notify_ready();

} // namespace turnstile::command
