// SPDX-License-Identifier: BSL-1.0
// What a program that is no session says to a guard.
#pragma once

#include "support/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// One connection to the socket of a guard.
class guard_client {
public:
    explicit guard_client(const std::string& socket);

    void send(std::string_view text, const std::vector<int>& descriptors = {});
    /// False if the guard does not take it.
    bool try_send(std::string_view text, const std::vector<int>& descriptors = {});
    /// Without the newline. Empty if the guard ends the connection.
    std::string answer();

private:
    unique_fd socket_;
};

unique_fd descriptor_of(pid_t process);

/// A registration of a session that no server knows, whose only descriptor is that of a process.
std::string registration(std::string_view servers, int number = 1, int timeout_ms = 30'000);
/// Of that session, with descriptors of these roles.
std::string registration_of(std::int64_t session, std::string_view servers,
                            std::string_view roles = "process", int timeout_ms = 30'000);

/// From a process that ends then, each with the descriptor of that process and with these. False if
/// the guard does not take one of them.
bool register_and_end(const std::string& socket, const std::vector<std::string>& all,
                      const std::vector<int>& more = {});

/// Memory with that text, which cannot be changed any more.
unique_fd sealed_memory(std::string_view text);

/// A socket of that kind that listens, and that is no guard's.
unique_fd listening_socket(const std::string& path, int kind);

} // namespace turnstile::test
