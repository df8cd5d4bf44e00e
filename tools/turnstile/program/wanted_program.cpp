// SPDX-License-Identifier: BSL-1.0
#include "program/wanted_program.hpp"

#include "command_failure.hpp"

#include <fmt/core.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace turnstile::command {

namespace {

/// Returns why the file cannot be run, as errno has it; 0: it can.
int error_of(const std::string& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0)
        return errno;
    return S_ISREG(found.st_mode) && ::access(file.c_str(), X_OK) == 0 ? 0 : EACCES;
}

/// Returns why no folder of PATH has a program of this name; 0: one has.
int error_in_path(const std::string& name) {
    const char* const path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";
    int result = ENOENT;
    for (;;) {
        const auto end = std::min(rest.find(':'), rest.size());
        const auto folder = rest.substr(0, end);
        const int error = error_of(std::string(folder.empty() ? "." : folder) + '/' + name);
        if (error == 0)
            return 0;
        if (error == EACCES)
            result = error;
        if (end == rest.size())
            return result;
        rest.remove_prefix(end + 1);
    }
}

} // namespace

void check_program(const std::string& name) {
    const bool is_file = name.find('/') != std::string::npos;
    const int error = name.empty() ? ENOENT : is_file ? error_of(name) : error_in_path(name);
    if (error == 0)
        return;
    const bool is_line = name.find_first_of(" \t\n|&;<>$`") != std::string::npos;
    throw command_failure(error == ENOENT || error == ENOTDIR ? exit_code::not_found
                                                              : exit_code::not_executable,
                          fmt::format("cannot run '{}': {}{}", name, std::strerror(error),
                                      is_line ? "\nA line for a shell needs one: write -- sh -c "
                                                "'LINE'."
                                              : ""));
}

} // namespace turnstile::command
