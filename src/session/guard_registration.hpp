// SPDX-License-Identifier: BSL-1.0
// What a session tells the host guard.
#pragma once

#include <turnstile/session_key.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace turnstile::detail {

/// One message, and the descriptors that go with it: of the processes whose end the guard awaits,
/// and of the files of TLS. The guard opens nothing by name, with rights that are not the user's.
/// So files are copied into memory that is sealed: to read that never waits.
class guard_registration {
public:
    /// Throws where a process or a file cannot be told, and says why.
    guard_registration(const session_key& key, const std::vector<pid_t>& others);
    ~guard_registration();
    guard_registration(const guard_registration&) = delete;
    guard_registration& operator=(const guard_registration&) = delete;

    const std::string& text() const { return text_; }
    const std::vector<int>& descriptors() const { return descriptors_; }

private:
    guard_registration();

    void add(const std::string& role, int descriptor);
    void add_copy(const std::string& role, std::string_view text);
    void add_files(tls_options& of);

    std::string text_;
    std::vector<int> descriptors_{};
};

} // namespace turnstile::detail
