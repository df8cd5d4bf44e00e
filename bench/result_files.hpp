// SPDX-License-Identifier: BSL-1.0
// Result files as `compare` reads them: the rows of all runs of one side, those of one kind
// together.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace turnstile::bench {

/// What all runs of a side say of one figure.
struct measured {
    std::vector<double> runs;   // the figure itself, one of each run
    std::vector<double> blocks; // likewise over parts of each run, laid around it; may be none
};

/// Figures by name. In the order of the names, so that a table is the same each time.
using figures = std::map<std::string, measured>;

/// Rows by what they are known by, such as "uncontended turnstile sessions=1".
using side = std::map<std::string, figures>;

/// Adds the rows of one file; the same row again is a further run. Throws std::runtime_error that
/// names the file if these are no rows.
void add_rows(side& to, const nlohmann::json& array, const std::string& file);

/// Throws std::runtime_error that names the file and says what to do.
side read_side(const std::vector<std::string>& files);

} // namespace turnstile::bench
