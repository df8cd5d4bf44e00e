// SPDX-License-Identifier: BSL-1.0
// What the doctor says of a server.
#pragma once

#include "command/support/tool.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace turnstile::test {

/// Severity, text and advice of each finding, one a line.
inline std::string findings_of(const std::string& servers,
                               const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"doctor", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    tool doctor{arguments, {.servers = servers}};
    doctor.exit_code();
    const auto all = nlohmann::json::parse(doctor.output());
    std::string result;
    for (const auto& each : all["findings"])
        result += each["severity"].get<std::string>() + ' ' + each["text"].get<std::string>() +
                  ' ' + each["advice"].get<std::string>() + '\n';
    return result;
}

} // namespace turnstile::test
