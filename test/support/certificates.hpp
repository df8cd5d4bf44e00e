// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "temp_folder.hpp"

#include <filesystem>
#include <string>

namespace turnstile::test {

/// Certificates for tests with TLS, made by the program `openssl`. Their files lie in a folder that
/// goes with the object: NAME.pem, and NAME.key with its key.
class certificates {
public:
    /// What a certificate is to say.
    struct subject {
        std::string name = {};                ///< of its files, and its CN
        std::string host = "zk1.example.org"; ///< it is for this host, and for 127.0.0.1
        std::string authority = "ca";
        int days = 2;             ///< below zero: it has expired
        std::string subject = {}; ///< empty: the CN alone
    };

    /// Makes two authorities: `ca`, and `other`, which nobody trusts. `ca` issues two certificates:
    /// `server` for zk1.example.org, and `client` for worker.example.org.
    certificates();

    void issue(const subject& what) const;
    /// The path of NAME.pem, or of NAME with another extension.
    [[nodiscard]] std::string file(const std::string& name, const char* extension = ".pem") const;
    /// Writes key and certificate into one file, as a server wants them. Returns its path.
    [[nodiscard]] std::string store(const std::string& name) const;

private:
    void make_authority(const std::string& name) const;

    temp_folder folder_{"turnstile-certificates-"};
};

} // namespace turnstile::test
