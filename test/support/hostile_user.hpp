// SPDX-License-Identifier: BSL-1.0
// Another user of this host, who attacks a guard through its socket. test/command tries each
// attack, and chaos draws from those that end soon. Only root can make such a user.
#pragma once

#include "support/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace turnstile::test {

/// The guard that is attacked, and the session of another user that it knows.
struct prey {
    std::string socket{};     ///< of the guard
    std::string servers{};    ///< those of the session
    std::int64_t session = 0; ///< the victim's
    pid_t process = 0;        ///< the victim's
};

/// One way to register that does harm, or tries to. `work` runs in the hostile process. What it has
/// opened stays open when it returns.
struct attack {
    const char* name = nullptr; ///< what the attacker does or registers
    std::function<void(const prey&)> work{};
    bool in_each_run = false;   ///< each run of the tests has it; the others are for soak runs
    bool never_returns = false; ///< `work` goes on until the process is killed
    bool guard_frozen = false;  ///< the guard stands still during `work`, as if it were busy
};

const std::vector<attack>& attacks();

/// A session that an attacker registers, too, in the same process. When the guard says that it has
/// ended the decoy, it has seen the end of that process.
constexpr std::int64_t decoy = 0x77'7777;

/// A process of the user 65534 that makes one attack. The destructor kills it, with its children.
class hostile_user {
public:
    /// Returns when the work is done, or has begun if it never returns.
    hostile_user(const attack& how, const prey& whom);
    hostile_user(const hostile_user&) = delete;
    hostile_user& operator=(const hostile_user&) = delete;
    ~hostile_user();

private:
    pid_t process_ = -1;
};

} // namespace turnstile::test
