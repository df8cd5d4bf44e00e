// SPDX-License-Identifier: BSL-1.0
#include "taking/once_period.hpp"

#include "options/duration_option.hpp"

#include <CLI/App.hpp>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>

namespace turnstile::command {

namespace {

/// Returns a format of strftime that gives each period of this kind its own text; null: it is a
/// duration. A week begins on Monday, as in ISO 8601.
const char* format_of(const std::string& period) {
    if (period == "hour")
        return "%F %H %z";
    if (period == "day")
        return "%F";
    return period == "week" ? "%G-%V" : nullptr;
}

/// Sets the time zone of this process; null: the host's.
void set_zone(const char* name) {
    if (name)
        setenv("TZ", name, 1); // NOLINT: before the command is started
    else
        unsetenv("TZ"); // NOLINT
    tzset();
}

/// Returns why the name is refused; empty: there is such a time zone. The C library would silently
/// take an unknown name for UTC.
std::string refusal_of_zone(const std::string& name) {
    const char* const folder = std::getenv("TZDIR"); // NOLINT: nobody sets it
    const auto file = std::filesystem::path(folder ? folder : "/usr/share/zoneinfo") / name;
    // The folder has lists and rules, too. A file of a zone begins with these letters (RFC 8536).
    std::string begin(4, ' ');
    std::error_code failed; // a folder can be opened, but not be read
    const bool is_inside = !name.starts_with('/') && name.find("..") == std::string::npos;
    const bool is_zone = is_inside && is_regular_file(file, failed) &&
                         std::ifstream(file).read(begin.data(), 4) && begin == "TZif";
    if (name == "UTC" || is_zone)
        return {};
    return '\'' + name + "' is no time zone of this host: write Europe/Berlin or UTC";
}

} // namespace

void once_period::add_to(CLI::App& app) {
    app.add_option_function<std::string>(
           "--once-per",
           [this](const std::string& text) {
               format_ = format_of(text);
               if (!format_)
                   span_ = duration_of("--once-per", text, {.least = std::chrono::seconds(1)});
               text_ = text;
           },
           "Do not run the command if any host has started it in the same hour, day or week, or\n"
           "within that time, less a sixteenth: the exit code is 0 then. The node PATH%once\n"
           "keeps the time")
        ->type_name("hour|day|week|DURATION")
        ->excludes("--shared")
        ->excludes("--permits");
    app.add_option("--zone", zone_,
                   "The time zone of the hours, days and weeks of --once-per. Default: this host's")
        ->type_name("NAME")
        ->check(refusal_of_zone)
        ->needs("--once-per");
}

bool once_period::has_both(std::chrono::milliseconds last, std::chrono::milliseconds now) const {
    if (!format_)
        return now - last < span_ - span_ / 16;
    const char* const before = std::getenv("TZ"); // NOLINT: set_zone alone sets it
    const std::optional<std::string> own =
        before ? std::optional<std::string>(before) : std::nullopt;
    if (!zone_.empty())
        set_zone(zone_.c_str());
    const bool result = key_of(last) == key_of(now);
    if (!zone_.empty())
        set_zone(own ? own->c_str() : nullptr); // which the command has in its environment
    return result;
}

std::string once_period::key_of(std::chrono::milliseconds when) const {
    const auto seconds =
        static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(when).count());
    std::tm parts{};
    localtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format_, &parts)};
}

} // namespace turnstile::command
