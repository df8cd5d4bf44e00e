// SPDX-License-Identifier: BSL-1.0
// Dumps a server's transaction log as text, with the tool of ZooKeeper (transaction_log.hpp).
#include "line_fields.hpp"
#include "transaction_log.hpp"

#include "support/child_process.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace turnstile::check {
namespace {

namespace fs = std::filesystem;

// Debian's jars. The manifest of the first names all others that it needs, but no log writer.
constexpr const char* class_path = "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar";
constexpr const char* tool = "org.apache.zookeeper.server.persistence.TxnLogToolkit";

/// The files "KIND.ZXID" of the folder, by zxid: the oldest first.
std::map<std::int64_t, fs::path> files_of(const fs::path& version_folder, std::string_view kind) {
    const auto prefix = std::string{kind} + '.';
    std::map<std::int64_t, fs::path> result;
    for (const auto& entry : fs::directory_iterator{version_folder}) {
        const auto name = entry.path().filename().string();
        const auto zxid =
            name.starts_with(prefix) ? parse_hex(name.substr(prefix.size())) : std::nullopt;
        if (zxid)
            result[*zxid] = entry.path();
    }
    return result;
}

/// Whether the tool's output, from the byte `begin` on, says at its end that the tool stopped at
/// half a transaction. (Either it says so, or it threw an exception while it printed one.)
bool ends_in_half_a_transaction(const fs::path& output, std::uintmax_t begin) {
    constexpr std::uintmax_t looked_at = 2'000; // bytes
    const auto size = fs::file_size(output);
    std::ifstream in{output, std::ios::binary};
    in.seekg(static_cast<std::streamoff>(size - std::min(looked_at, size - begin)));
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    return text.find("Last transaction was partial.") != std::string::npos ||
           text.find("TxnLogToolkit.printTxn") != std::string::npos;
}

} // namespace

std::vector<std::int64_t> zxids_of_files(const fs::path& version_folder, std::string_view kind) {
    std::vector<std::int64_t> result;
    for (const auto& file : files_of(version_folder, kind))
        result.push_back(file.first);
    return result;
}

void dump_transaction_log(const fs::path& version_folder, const fs::path& output) {
    const fs::path unfinished = output.string() + ".part"; // renamed when the dump is complete
    fs::remove(unfinished);                                // the tool's output is appended
    std::ofstream{unfinished};
    for (const auto& [zxid, file] : files_of(version_folder, "log")) {
        const auto begin = fs::file_size(unfinished);
        // The tool's own log is off: it would go to the same file.
        test::child_process child{
            {.argv = {"java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                      "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp", class_path, tool, "-d",
                      file.string()},
             .output_file = unfinished}};
        if (!child.wait_for_end(std::chrono::minutes{5}))
            throw std::runtime_error{"TxnLogToolkit does not end on " + file.string()};
        // A server that was killed may leave half a transaction at a file's end, and then the tool
        // fails. If the file lacks more than that, the rule "log" finds it by the other servers.
        if (child.exit_status() != 0 && !ends_in_half_a_transaction(unfinished, begin)) {
            throw std::runtime_error{"TxnLogToolkit fails on " + file.string() + ": see " +
                                     unfinished.string()};
        }
    }
    fs::rename(unfinished, output);
}

} // namespace turnstile::check
