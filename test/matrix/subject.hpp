#pragma once

#include "promises/lock_kind.hpp"
#include "support/lock_user.hpp"

#include <turnstile/session.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace turnstile::matrix {

/// A kind of lock that goes through the matrix.
struct subject {
    std::string_view name;
    promises::lock_kind kind; ///< who may hold it together, and what its tokens tell
    /// A lock object on a session, as what starts its acquires.
    std::function<test::lock_user::acquirer(session&, const std::string& path)> open;
};

std::span<const subject> subjects();

} // namespace turnstile::matrix
