// SPDX-License-Identifier: BSL-1.0
#include "report/about.hpp"

#include "report/build.hpp"

#include <turnstile/version.hpp>

#include <boost/version.hpp>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace turnstile::bench {

namespace {

constexpr std::string_view about_ending = ".about.json";

/// What stands behind the first `name` and a separator in such a file; empty if there is none.
std::string value_in(const char* file, std::string_view name, char separator) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto end = line.find(separator);
        if (!line.starts_with(name) || end == std::string::npos)
            continue;
        const auto first = line.find_first_not_of(" \t\"", end + 1);
        const auto last = line.find_last_not_of(" \t\"");
        return first == std::string::npos ? std::string() : line.substr(first, last - first + 1);
    }
    return {};
}

/// The first line that a command writes; empty where there is no such command.
std::string first_line_of(const char* command) {
    std::array<char, 512> line{};
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command, "r"), pclose);
    if (!pipe || !std::fgets(line.data(), line.size(), pipe.get()))
        return {};
    const std::string_view read = line.data();
    return std::string(read.substr(0, read.find('\n')));
}

/// As a shell takes it. Of the program only its name: where it lies says nothing to others.
std::string command_line(int argc, const char* const* argv) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_=+./,:@%";
    std::string line = std::filesystem::path(argv[0]).filename();
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (!argument.empty() && argument.find_first_not_of(plain) == std::string_view::npos) {
            line += fmt::format(" {}", argument);
            continue;
        }
        line += " '";
        for (const char c : argument)
            line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += '\'';
    }
    return line;
}

nlohmann::ordered_json machine() {
    nlohmann::ordered_json known;
    known["processor"] = value_in("/proc/cpuinfo", "model name", ':');
    known["cores"] = std::to_string(sysconf(_SC_NPROCESSORS_ONLN));
    if (const auto kib = value_in("/proc/meminfo", "MemTotal", ':'); !kib.empty())
        known["memory"] = fmt::format("{:.1f} GiB", std::stod(kib) / (1024 * 1024));
    if (utsname kernel{}; uname(&kernel) == 0)
        known["kernel"] = fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine);
    known["system"] = value_in("/etc/os-release", "PRETTY_NAME", '=');
    return known;
}

nlohmann::ordered_json versions(const target& server) {
    nlohmann::ordered_json known;
    known["Turnstile"] =
        fmt::format("{}.{}.{}, commit {}", TURNSTILE_VERSION_MAJOR, TURNSTILE_VERSION_MINOR,
                    TURNSTILE_VERSION_PATCH, built_from_commit);
    known["compiler"] = fmt::format("{}, {}", compiler, build_type);
    known["Boost"] = fmt::format("{}.{}.{}", BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1000,
                                 BOOST_VERSION % 100);
    known["ZooKeeper C client"] = zookeeper_client_version;
    known["ZooKeeper server"] = server.version();
    known["Java"] = first_line_of("java -version 2>&1");
    return known;
}

} // namespace

std::string about_file(const std::string& rows_file) {
    return std::filesystem::path(rows_file).replace_extension().string() +
           std::string(about_ending);
}

bool is_about_file(const std::string& file) { return file.ends_with(about_ending); }

void write_about(const std::string& rows_file, int argc, const char* const* argv,
                 const target& server) {
    nlohmann::ordered_json about;
    about["command"] = command_line(argc, argv);
    about["date"] = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
    about["machine"] = machine();
    about["versions"] = versions(server);
    const auto file = about_file(rows_file);
    std::ofstream out(file);
    out << about.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    if (!out)
        throw std::runtime_error("cannot write " + file + ": check the folder and its rights");
}

} // namespace turnstile::bench
