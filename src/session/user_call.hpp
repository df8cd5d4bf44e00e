// SPDX-License-Identifier: BSL-1.0
// Tells whether this thread is in a function of the library that the user called.
#pragma once

#include <utility>

namespace turnstile::detail {

/// Lives while such a function runs. Meanwhile the library calls neither the log sink nor the
/// observer nor a handler on this thread: the user may hold a mutex that these lock, too.
class user_call {
public:
    user_call() noexcept : outer_(std::exchange(under_way_, true)) {}
    ~user_call() { under_way_ = outer_; }
    user_call(const user_call&) = delete;
    user_call& operator=(const user_call&) = delete;

    static bool under_way() noexcept { return under_way_; }

private:
    static inline thread_local bool under_way_ = false;

    const bool outer_;
};

} // namespace turnstile::detail
