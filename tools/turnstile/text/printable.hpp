// SPDX-License-Identifier: BSL-1.0
// Texts for people.
#pragma once

#include <cstddef>
#include <string>

namespace turnstile::command {

/// Replaces all that could steer a terminal or turn the text around: other programs write what they
/// like into their tickets. Bytes that are no UTF-8 are replaced, too.
std::string printable(const std::string& text);

/// How many columns of a terminal a printable text takes.
std::size_t columns_of(const std::string& text);

/// Returns the text if it fits into `columns`; otherwise its beginning, with "..." behind it.
std::string begin_of(const std::string& text, std::size_t columns);
/// Returns the end of the text in the same way.
std::string end_of(const std::string& text, std::size_t columns);
/// Returns the beginning in the same way, of a printable text and by bytes. A column may have any
/// number of bytes.
std::string bytes_of(const std::string& text, std::size_t most);

/// A name that another program gave itself, printable, and not too long.
std::string shown_name(const std::string& text);

} // namespace turnstile::command
