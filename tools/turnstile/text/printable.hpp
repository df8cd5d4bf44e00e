// SPDX-License-Identifier: BSL-1.0
// Makes texts of other programs fit for a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace turnstile::command {

/// Puts a ? in place of each character that could steer a terminal or turn the text around, and of
/// each byte that is no UTF-8: other programs write what they like into their tickets.
std::string printable(const std::string& text);

/// How many columns of a terminal a printable text takes.
std::size_t columns_of(const std::string& text);

/// Returns the text if it fits into `columns`; otherwise its beginning, with "..." behind it.
std::string begin_of(const std::string& text, std::size_t columns);
/// Returns the end of the text in the same way, with "..." in front of it.
std::string end_of(const std::string& text, std::size_t columns);
/// Returns the beginning of a printable text in the same way, but counts bytes: a column may have
/// any number of them.
std::string bytes_of(const std::string& text, std::size_t most);

/// Makes a name that another program gave itself printable, and cuts it at 60 columns.
std::string shown_name(const std::string& text);

} // namespace turnstile::command
