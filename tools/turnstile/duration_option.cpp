#include "duration_option.hpp"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include <cstdint>
#include <map>

namespace turnstile::command {

namespace {

template <class To>
CLI::Option* add(CLI::App& app, const std::string& name, To& to, const std::string& description) {
    const std::map<std::string, std::int64_t> units{
        {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
    // A year is for ever to the library, and far from an overflow.
    constexpr std::int64_t longest = 365 * std::int64_t{86'400'000};
    return app
        .add_option_function<std::int64_t>(
            name, [&to](std::int64_t ms) { to = std::chrono::milliseconds(ms); }, description)
        ->transform([units](const std::string& text) {
            auto number = text;
            try {
                CLI::AsNumberWithUnit whole(units, CLI::AsNumberWithUnit::UNIT_REQUIRED);
                const auto wrong = whole(number);
                if (wrong.empty())
                    return number;
            } catch (const CLI::ValidationError&) { // said below
            }
            throw CLI::ValidationError("'" + text +
                                       "' is no duration: write 500ms, 30s, 10m or 2h");
        })
        ->check([](const std::string& ms) {
            return CLI::Range(std::int64_t{0}, longest)(ms).empty()
                       ? std::string()
                       : std::string("write a duration from 0s to 365d");
        })
        ->type_name("DURATION");
}

} // namespace

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::milliseconds& to,
                          const std::string& description) {
    return add(app, name, to, description);
}

CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& to,
                          const std::string& description) {
    return add(app, name, to, description);
}

} // namespace turnstile::command
