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
                          const std::string& description, std::chrono::milliseconds least = {});
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& to,
                          const std::string& description);

/// As an option takes it, with the largest unit that fits: "10m", "1500ms".
std::string option_text(std::chrono::milliseconds span);

} // namespace turnstile::command
