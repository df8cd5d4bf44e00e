// SPDX-License-Identifier: BSL-1.0
// The report: one page with charts and a table of the rows of some files. It loads nothing.
#pragma once

#include <string>
#include <vector>

namespace turnstile::bench {

struct report_options {
    std::vector<std::string> files; // of rows
    std::string output = "build/bench-report/index.html";
    // Where Debian's package node-d3 has the library that draws the charts, and its licence.
    std::string d3 = "/usr/share/nodejs/d3/dist/d3.min.js";
    std::string d3_licence = "/usr/share/doc/node-d3/copyright";
};

/// Throws std::runtime_error that names the file and says what to do.
void make_report(const report_options& how);

} // namespace turnstile::bench
