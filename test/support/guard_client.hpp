// SPDX-License-Identifier: BSL-1.0
// A client of the host guard that is no session of the library. By it tests register sessions as
// other programs could, well or badly. src/session/guard/guard_registration.hpp has the messages.
#pragma once

#include "support/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// One connection to the socket of a guard. A call that fails throws std::system_error, and is no
/// failed check of a test: it may be made in a forked process.
class guard_client {
public:
    explicit guard_client(const std::string& socket);

    /// Sends one message, with these descriptors.
    void send(std::string_view text, const std::vector<int>& descriptors = {});
    /// False if the guard does not take it.
    bool try_send(std::string_view text, const std::vector<int>& descriptors = {});
    /// Waits for a message, and returns it without its newline. Empty if the guard ends the
    /// connection.
    std::string answer();

private:
    unique_fd socket_;
};

/// A pidfd of the process.
unique_fd descriptor_of(pid_t process);

/// The text that registers a session which no server knows. One descriptor goes along, that of a
/// process.
std::string registration(std::string_view servers, int number = 1, int timeout_ms = 30'000);
/// The text that registers that session, with descriptors of these roles.
std::string registration_of(std::int64_t session, std::string_view servers,
                            std::string_view roles = "process", int timeout_ms = 30'000);

/// Makes a process that sends these registrations and ends. With each goes the descriptor of that
/// process, and then `more`. False if the guard does not take one of them.
bool register_and_end(const std::string& socket, const std::vector<std::string>& texts,
                      const std::vector<int>& more = {});

/// A memfd with that text, which cannot be changed any more.
unique_fd sealed_memory(std::string_view text);

/// A socket of that type (SOCK_...) that listens at that path, where no guard answers.
unique_fd listening_socket(const std::string& path, int kind);

} // namespace turnstile::test
