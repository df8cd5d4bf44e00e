// SPDX-License-Identifier: BSL-1.0
// Durations and instants as people read them.
#pragma once

#include <chrono>
#include <string>

namespace turnstile::command {

/// Writes a duration, such as "0 s", "42 s", "3 min 12 s", "2 h 5 min" or "4 d 3 h". A negative one
/// is 0 s: clocks differ.
std::string text_of(std::chrono::milliseconds span);

/// Writes an instant in local time: "14:02:11" if it is today, otherwise with the date in front.
std::string text_of(std::chrono::system_clock::time_point when);

/// Writes an instant for programs, such as 2026-11-24T16:10:07Z.
std::string utc_text(std::chrono::system_clock::time_point when);

} // namespace turnstile::command
