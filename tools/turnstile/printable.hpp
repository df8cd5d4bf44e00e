// SPDX-License-Identifier: BSL-1.0
// Texts for people.
#pragma once

#include <cstddef>
#include <string>

namespace turnstile::command {

/// Without what could steer a terminal or turn the text around: others write what they like into
/// their tickets. What is no UTF-8 is replaced as well, byte by byte.
std::string printable(const std::string& text);

/// How many columns of a terminal a text takes that is printable.
std::size_t columns_of(const std::string& text);

/// As much of its begin as fits into so many columns, with "..." behind it; all of it where it
/// fits.
std::string begin_of(const std::string& text, std::size_t columns);
/// The same of its end.
std::string end_of(const std::string& text, std::size_t columns);

/// What others call themselves, in a sane number of columns.
std::string shown_name(const std::string& text);

} // namespace turnstile::command
