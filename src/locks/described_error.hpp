// SPDX-License-Identifier: BSL-1.0
// Error codes that say more than their number.
#pragma once

#include <turnstile/error.hpp>

#include <string>

namespace turnstile::detail {

/// Equal to `what` in every comparison of boost::system codes, with this text as its message (and
/// so in the what() of an exception made of it). Codes are copied freely and have no owner, so the
/// text is kept for ever; after some dozens of different texts in one process, or without memory,
/// the plain code is returned.
error_code described(error what, const std::string& text) noexcept;

} // namespace turnstile::detail
