// SPDX-License-Identifier: BSL-1.0
// A private etcd of one member, on loopback ports.
#pragma once

#include "support/child_process.hpp"
#include "support/temp_folder.hpp"

#include <optional>
#include <string>

namespace turnstile::bench {

class etcd_server {
public:
    /// Returns when it runs, which is before it serves. Throws std::system_error.
    etcd_server();

    /// "127.0.0.1:PORT", where clients reach it.
    const std::string& address() const { return address_; }

private:
    test::temp_folder folder_;
    std::string address_;
    std::optional<test::child_process> process_; // after folder_: ends before its files go
};

} // namespace turnstile::bench
