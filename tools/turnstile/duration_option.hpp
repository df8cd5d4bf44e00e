// Durations on the command line: 500ms, 30s, 10m, 2h.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace turnstile::command {

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::milliseconds& to,
                          const std::string& description);
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& to,
                          const std::string& description);

} // namespace turnstile::command
