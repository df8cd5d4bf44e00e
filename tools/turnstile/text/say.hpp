// SPDX-License-Identifier: BSL-1.0
// Messages on the standard error output.
#pragma once

#include <chrono>
#include <string>

namespace turnstile::command {

/// Writes as much of the text as the standard error output takes within `patience`, and drops the
/// rest: a lock must not wait for a reader.
void write_error(const std::string& text, std::chrono::milliseconds patience);

/// Says one to three lines. Nobody need read them.
inline void say(const std::string& text) {
    write_error("turnstile: " + text + '\n', std::chrono::milliseconds(200));
}

} // namespace turnstile::command
