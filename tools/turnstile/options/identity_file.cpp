// SPDX-License-Identifier: BSL-1.0
#include "options/identity_file.hpp"

#include "command_failure.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

namespace turnstile::command {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; // some editors begin a file with it

command_failure unreadable(const std::string& file, const char* why) {
    return {exit_code::bad_usage,
            fmt::format("cannot read the file of --auth-file, '{}': {}", file, why)};
}

command_failure wrong_line(int number, const std::string& file, const char* wrong) {
    return {exit_code::bad_usage, fmt::format("line {} of '{}' {}", number, file, wrong)};
}

} // namespace

std::vector<identity> identities_from(const std::string& file) {
    std::ifstream in(file);
    if (!in)
        throw unreadable(file, std::strerror(errno));
    std::vector<identity> result;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        if (number == 1 && line.starts_with(byte_order_mark))
            line.erase(0, byte_order_mark.size());
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        if (line.empty() || line.front() == '#')
            continue;
        const auto blank = line.find(' ');
        if (blank == 0 || blank == std::string::npos || blank + 1 == line.size())
            throw wrong_line(number, file,
                             "is no identity\n"
                             "Write the scheme, a blank and the secret, such as: digest "
                             "alice:secret");
        if (line[blank + 1] == ' ' || line[blank + 1] == '\t')
            throw wrong_line(number, file,
                             "has two blanks behind the scheme\n"
                             "Take one away: it would be part of the secret.");
        if (line.back() == ' ' || line.back() == '\t')
            throw wrong_line(number, file,
                             "ends with a blank\n"
                             "Take it away: it would be part of the secret.");
        result.push_back({line.substr(0, blank), line.substr(blank + 1)});
    }
    if (in.bad())
        throw unreadable(file, std::strerror(errno)); // a directory can be opened
    if (result.empty())
        throw command_failure(exit_code::bad_usage,
                              fmt::format("there is no identity in '{}'\n"
                                          "Write one a line, such as: digest alice:secret",
                                          file));
    return result;
}

} // namespace turnstile::command
