// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace turnstile::command {

/// Without what could steer a terminal or turn the text around: others write what they like into
/// their tickets. What is no UTF-8 is replaced as well, byte by byte.
std::string printable(const std::string& text);

} // namespace turnstile::command
