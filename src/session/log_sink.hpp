// SPDX-License-Identifier: BSL-1.0
// Hands messages to the user's sink, or to the standard error output as far as it takes them.
#pragma once

#include <turnstile/logger.hpp>

namespace turnstile::detail {

void write_log(const logger& to, log_level level, std::string_view text) noexcept;

} // namespace turnstile::detail
