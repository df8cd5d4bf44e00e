// SPDX-License-Identifier: BSL-1.0
// A table in plain text.
#pragma once

#include <string>
#include <vector>

namespace turnstile::command {

using table_row = std::vector<std::string>;

/// Writes the rows with aligned columns: two spaces before each column, and none at the end of a
/// line. All rows have the same number of texts.
std::string text_table(const std::vector<table_row>& rows);

} // namespace turnstile::command
