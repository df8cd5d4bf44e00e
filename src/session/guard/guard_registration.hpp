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

/// One registration: its text, and the descriptors that go with it. The text names the role of each
/// descriptor, and then has the session's key. A descriptor is a process whose end the guard
/// awaits, or a copy of a file of TLS. The guard opens no file by its name, since its rights are
/// not the user's. It gets a copy in sealed memory, which it can read without a wait. guard_link
/// makes a registration and sends it. The registration owns the descriptors.
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
    guard_registration(); // the head of the text alone

    /// Takes the descriptor. A negative one is a call that failed: throws, as errno says.
    void add(const std::string& role, int descriptor);
    void add_copy(const std::string& role, std::string_view text);
    /// Adds the files that these options name, and empties their names.
    void add_files(tls_options& options);

    std::string text_; // overwritten at the end: it has the session's password
    std::vector<int> descriptors_{};
};

/// A registration, or why there is none.
struct made_registration {
    std::shared_ptr<const guard_registration> what{};
    std::string wrong{};
};

} // namespace turnstile::detail
