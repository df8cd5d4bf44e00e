// SPDX-License-Identifier: BSL-1.0
// The message by which a session registers with the host's guard.
#pragma once

#include <turnstile/session_key.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace turnstile::detail {

/// One registration: its text, and the descriptors that go with it. These are the processes whose
/// end the guard awaits, and the files of TLS. The guard opens no file by its name, since its
/// rights are not the user's. The files are copied into sealed memory, which the guard can read
/// without a wait. It owns the descriptors.
class guard_registration {
public:
    /// Throws if a process or a file cannot be opened, and says why.
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

struct made_registration {
    std::shared_ptr<const guard_registration> what{};
    std::string wrong{}; // why there is none
};

} // namespace turnstile::detail
