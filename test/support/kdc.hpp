// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "child_process.hpp"
#include "temp_folder.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// A Kerberos realm for tests, TURNSTILE.TEST, whose KDC listens on the loopback. It sets
/// KRB5_CONFIG of this process. So make one only, on the main thread, before the first session that
/// speaks GSSAPI. The realm EMPTY.TEST is known, too, and nobody listens at the port of its KDC.
class kdc {
public:
    /// Whether the programs of Kerberos are installed.
    static bool is_installed();

    kdc();

    /// Makes the principal with a new key. Returns the path of the keytab with that key.
    [[nodiscard]] std::string keytab(const std::string& principal) const;
    /// Gives the principal a new key, which alone is in the file then.
    void renew_key(const std::string& principal, const std::string& file) const;
    /// Fills a ticket cache by `kinit` with that keytab. Returns its path. The lifetime is as kinit
    /// takes it.
    [[nodiscard]] std::string ticket_cache(const std::string& keytab, const std::string& principal,
                                           const std::string& lifetime = "1h") const;
    /// Whether the tickets in the cache have expired, by the clock of this machine.
    [[nodiscard]] bool has_expired(const std::string& cache) const;

    void stop() noexcept { process_.reset(); }
    /// Starts the KDC and waits until it serves. Its clock may be ten minutes ahead.
    void start(bool clock_ahead = false);
    /// From now on the kernel still accepts connections, and the KDC answers nothing.
    void freeze() noexcept { process_->freeze(); }
    void thaw() noexcept { process_->thaw(); }

    /// The path of krb5.conf.
    [[nodiscard]] std::string configuration() const;
    [[nodiscard]] static std::string realm() { return "TURNSTILE.TEST"; }

private:
    /// Runs one of Kerberos' programs, and returns its exit code; -1 if it hangs.
    [[nodiscard]] int run(const std::vector<std::string>& argv) const;
    /// Throws if it does not exit with 0.
    void run_well(const std::vector<std::string>& argv) const;

    temp_folder folder_{"turnstile-kdc-"};
    std::uint16_t port_;
    std::vector<std::string> environment_; // of Kerberos' programs
    std::optional<child_process> process_;
};

} // namespace turnstile::test
