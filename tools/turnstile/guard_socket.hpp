// SPDX-License-Identifier: BSL-1.0
// What the guard does with Unix sockets.
#pragma once

#include "unique_fd.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::command {

/// A socket of this file name that takes connections from whom the mode lets in. Takes the place of
/// one that nobody listens at. Throws command_failure.
unique_fd listen_at(const std::string& path, mode_t mode);

struct guard_request {
    std::string text{};
    std::vector<unique_fd> descriptors{};
    bool cut = false; ///< a part of it was too much
};

/// What has arrived. Nothing where nothing has, and an empty text where the other side has gone.
std::optional<guard_request> receive(int socket);

/// As far as the other side takes it: it is never waited for.
void answer(int socket, std::string_view text);

/// Who made the connection; 0: a process that cannot be seen from here.
pid_t peer_of(int socket);

/// The process of a pidfd: 0 where it cannot be seen from here, -1 where it is gone. Nothing where
/// the descriptor is no pidfd.
std::optional<pid_t> process_of_pidfd(int fd);

/// Tells systemd, if it started this process, that the service is ready.
void notify_ready();

} // namespace turnstile::command
