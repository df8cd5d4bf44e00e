// SPDX-License-Identifier: BSL-1.0
// What the tools that count leave behind, read.
#pragma once

#include <iosfwd>
#include <map>
#include <string>

namespace turnstile::bench {

struct callgrind_counts {
    double instructions = 0;
    double allocations = 0; // calls of malloc and its kin, operator new's among them
};

/// A file of `valgrind --tool=callgrind`. Throws std::runtime_error if it holds no sum.
callgrind_counts read_callgrind(std::istream& in);

/// Calls by the system call's name, from the table of `strace -c`. Throws std::runtime_error if
/// there is none.
std::map<std::string, double> read_strace(std::istream& in);

} // namespace turnstile::bench
