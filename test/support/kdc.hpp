// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "child_process.hpp"
#include "temp_folder.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// A Kerberos realm of its own, TURNSTILE.TEST, whose KDC listens on the loopback. Has KRB5_CONFIG
/// of this process point to it: make one before the first session that speaks GSSAPI, on the main
/// thread, and one only. The realm EMPTY.TEST has a KDC at a port where nobody listens.
class kdc {
public:
    /// Whether the programs for it are here.
    static bool is_installed();

    kdc();

    /// Makes the principal with a new key. The file with that key.
    [[nodiscard]] std::string keytab(const std::string& principal) const;
    /// Gives the principal a new key. The file has no other one.
    void renew_key(const std::string& principal, const std::string& file) const;
    /// A ticket cache, filled by `kinit` with that keytab. A lifetime as kinit takes it.
    [[nodiscard]] std::string ticket_cache(const std::string& keytab, const std::string& principal,
                                           const std::string& lifetime = "1h") const;
    /// By the clock of this machine.
    [[nodiscard]] bool has_expired(const std::string& cache) const;

    void stop() noexcept { process_.reset(); }
    /// Perhaps with a clock that is ten minutes ahead.
    void start(bool clock_ahead = false);
    /// Connections are still accepted, by the kernel, and nothing answers.
    void freeze() noexcept { process_->freeze(); }
    void thaw() noexcept { process_->thaw(); }

    [[nodiscard]] std::string configuration() const;
    [[nodiscard]] static std::string realm() { return "TURNSTILE.TEST"; }

private:
    [[nodiscard]] int run(const std::vector<std::string>& argv) const;
    void run_well(const std::vector<std::string>& argv) const;

    temp_folder folder_{"turnstile-kdc-"};
    std::uint16_t port_;
    std::vector<std::string> environment_;
    std::optional<child_process> process_;
};

} // namespace turnstile::test
