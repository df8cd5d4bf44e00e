// SPDX-License-Identifier: BSL-1.0
#include "tool_output.hpp"

#include <istream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace turnstile::bench {

namespace {

bool allocates(const std::string& function) {
    static const std::set<std::string> names{"malloc",   "calloc",        "realloc",
                                             "memalign", "aligned_alloc", "posix_memalign"};
    return names.contains(function);
}

} // namespace

// A function is named where it is first told of, as "cfn=(12) malloc", and is "cfn=(12)" later on.
callgrind_counts read_callgrind(std::istream& in) {
    callgrind_counts result;
    std::set<std::string> allocators;
    bool calls_allocator = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("fn=") || line.starts_with("cfn=")) {
            const auto text = line.substr(line.find('=') + 1);
            const auto id = text.substr(0, text.find(' '));
            if (id.size() < text.size() && allocates(text.substr(id.size() + 1)))
                allocators.insert(id);
            calls_allocator = allocators.contains(id); // `calls=` follows `cfn=` only
        } else if (line.starts_with("calls=") && calls_allocator) {
            result.allocations += std::stod(line.substr(6));
        } else if (line.starts_with("totals: ")) {
            result.instructions = std::stod(line.substr(8));
        }
    }
    if (result.instructions <= 0)
        throw std::runtime_error("callgrind's file holds no `totals:`");
    return result;
}

std::map<std::string, double> read_strace(std::istream& in) {
    std::map<std::string, double> result;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        const std::vector<std::string> column{std::istream_iterator<std::string>(words), {}};
        // Share, seconds, microseconds per call, calls, perhaps errors, name.
        const bool counts = (column.size() == 5 || column.size() == 6) &&
                            column[0].find_first_not_of("0123456789.") == std::string::npos;
        if (counts && column.back() != "total")
            result[column.back()] += std::stod(column[3]);
    }
    if (result.empty())
        throw std::runtime_error("strace's file holds no table");
    return result;
}

} // namespace turnstile::bench
