// SPDX-License-Identifier: BSL-1.0
// What a reader of rows has to know besides them: command, date, machine and versions.
#pragma once

#include "target.hpp"

#include <string>

namespace turnstile::bench {

/// Beside the rows, whose file stays an array of rows: ROWS.json has its ROWS.about.json.
std::string about_file(const std::string& rows_file);

bool is_about_file(const std::string& file);

/// Writes that file for a run that was started with these arguments.
void write_about(const std::string& rows_file, int argc, const char* const* argv,
                 const target& server);

} // namespace turnstile::bench
