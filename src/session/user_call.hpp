// SPDX-License-Identifier: BSL-1.0
// Whether a function of the library that the user called is on the stack of this thread.
#pragma once

#include <utility>

namespace turnstile::detail {

/// The user may hold a lock of his own meanwhile, and take it in his log sink or in a handler:
/// neither is called while one of these lives in the thread.
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
