// SPDX-License-Identifier: BSL-1.0
// What the command says to people.
#pragma once

#include <chrono>
#include <string>

namespace turnstile::command {

/// Writes on the standard error output what that takes within `patience`, and drops the rest: a
/// lock must not wait for a reader.
void write_error(const std::string& text, std::chrono::milliseconds patience);

/// One to three lines. Nobody may be there to read them.
inline void say(const std::string& text) {
    write_error("turnstile: " + text + '\n', std::chrono::milliseconds(200));
}

} // namespace turnstile::command
