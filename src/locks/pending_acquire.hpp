// SPDX-License-Identifier: BSL-1.0
// An acquire in progress.
#pragma once

#include "locks/completion.hpp"
#include "locks/lock_record.hpp"

#include <turnstile/error.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lease_clock.hpp>

#include <memory>
#include <utility>

namespace turnstile::detail {

class pending_acquire : public pending_operation<error_code, held_lock> {
public:
    using operation = pending_operation<error_code, held_lock>;

    pending_acquire(operation&& waiting, std::shared_ptr<lock_record> of,
                    lease_clock::time_point began)
        : operation(std::move(waiting)), of_(std::move(of)), began_(began) {}

    const std::shared_ptr<lock_record>& of() const { return of_; }
    /// For the lock that it ends with.
    std::shared_ptr<lock_record> take_of() { return std::move(of_); }
    lease_clock::time_point began() const { return began_; }

private:
    std::shared_ptr<lock_record> of_;
    lease_clock::time_point began_;
};

} // namespace turnstile::detail
