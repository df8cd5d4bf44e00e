// SPDX-License-Identifier: BSL-1.0
// What a program that is no session says to a guard.
#pragma once

#include "support/unique_fd.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// One connection to the socket of a guard.
class guard_client {
public:
    explicit guard_client(const std::string& socket);

    void send(std::string_view text, const std::vector<int>& descriptors = {});
    /// Without the newline. Empty where the guard ends the connection.
    std::string answer();

private:
    unique_fd socket_;
};

unique_fd descriptor_of(pid_t process);

/// A registration of a session that no server knows.
std::string registration(std::string_view servers, int number = 1, int timeout_ms = 30'000);

/// A socket of that kind that listens, and that is no guard's.
unique_fd listening_socket(const std::string& path, int kind);

} // namespace turnstile::test
