// SPDX-License-Identifier: BSL-1.0
// A user of this host who means harm.
#pragma once

#include "support/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace turnstile::test {

/// What is attacked.
struct prey {
    std::string socket{};     ///< of the guard
    std::string servers{};    ///< that know the session
    std::int64_t session = 0; ///< of another user
    pid_t process = 0;        ///< that has it
};

/// One way to register that does harm, or tries to. It returns when it is done, and what it has
/// opened stays open.
struct attack {
    const char* name = nullptr;
    std::function<void(const prey&)> work{};
    bool in_haste = false; ///< part of each run of the tests
    bool goes_on = false;  ///< it does not return
    bool waits = false;    ///< the guard sees it when it is done, as where the guard is busy
};

const std::vector<attack>& attacks();

/// The session that an attacker registers besides, in the same process: once the guard has ended
/// it, it has seen the end of that process.
constexpr std::int64_t decoy = 0x77'7777;

/// A process of the user 65534 that does so until this object's end. Only root can make one.
class hostile_user {
public:
    hostile_user(const attack& how, const prey& whom);
    hostile_user(const hostile_user&) = delete;
    hostile_user& operator=(const hostile_user&) = delete;
    ~hostile_user();

private:
    pid_t process_ = -1;
};

} // namespace turnstile::test
