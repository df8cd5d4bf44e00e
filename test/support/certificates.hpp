// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "temp_folder.hpp"

#include <filesystem>
#include <string>

namespace turnstile::test {

/// Certificates as `openssl` makes them, in files that go with the object. Each stands as NAME.pem
/// beside its key, NAME.key.
class certificates {
public:
    struct subject {
        std::string name = {};                ///< of the files, and the CN
        std::string host = "zk1.example.org"; ///< beside the address 127.0.0.1
        std::string authority = "ca";
        int days = 2;             ///< below zero: it has expired
        std::string subject = {}; ///< empty: the CN alone
    };

    /// Makes the authorities `ca`, and `other` that nobody trusts, and from the first one a
    /// certificate `server` for zk1.example.org and 127.0.0.1, and one `client`.
    certificates();

    void issue(const subject& what) const;
    /// NAME.pem, or another file of it.
    [[nodiscard]] std::string file(const std::string& name, const char* extension = ".pem") const;
    /// Key and certificate in one file, as a server wants them.
    [[nodiscard]] std::string store(const std::string& name) const;

private:
    void make_authority(const std::string& name) const;

    temp_folder folder_{"turnstile-certificates-"};
};

} // namespace turnstile::test
