// SPDX-License-Identifier: BSL-1.0
// Why an operation did not end as asked, or why a held lock was lost.
#pragma once

#include "protocol/wire/zookeeper_code.hpp"

#include <turnstile/error.hpp>

namespace turnstile::protocol {

/// An error of users', or one of these, which no user sees. In a template write `error::timeout`:
/// GCC 12 fails at `failure::timeout` there.
class failure {
public:
    using enum error;
    static constexpr error none{0};
    static constexpr error cancelled{-1};
    static constexpr error taken_back{-2};   // made in one transaction with others, and not kept
    static constexpr error path_renewed{-3}; // the lock path is not the one that was asked for
    static constexpr error server_error{-4}; // anything else: the code beside it says what

    constexpr failure(error why) : why_(why) {}
    constexpr explicit operator error() const { return why_; }
    friend bool operator==(const failure&, const failure&) = default;

private:
    error why_;
};

/// Why something was not read.
constexpr failure failure_of_read(zookeeper_code code) {
    return code == zookeeper_code::no_auth ? failure::read_denied : failure::server_error;
}

} // namespace turnstile::protocol
