// SPDX-License-Identifier: BSL-1.0
#include "checker.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace turnstile::check {
namespace {

namespace fs = std::filesystem;

/// The files in the folder that have such a name, sorted.
std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix,
                              std::string_view suffix) {
    std::vector<fs::path> result;
    if (fs::is_directory(folder)) {
        for (const auto& entry : fs::directory_iterator{folder}) {
            const auto name = entry.path().filename().string();
            if (name.starts_with(prefix) && name.ends_with(suffix))
                result.push_back(entry.path());
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<fs::path> histories_in(const fs::path& folder) {
    auto result = entries(folder / "history", "", ".jsonl");
    return result.empty() ? entries(folder, "", ".jsonl") : result;
}

struct log_file {
    fs::path text;
    std::vector<std::int64_t> snapshots;
};

/// The log files, one for each server, since it matters how many servers have a transaction.
std::vector<log_file> logs_in(const fs::path& folder) {
    std::vector<log_file> result;
    for (const auto& server : entries(folder, "server-", "")) {
        const auto text = server / "transactions.txt";
        const auto data = server / "version-2";
        const bool has_data = fs::is_directory(data);
        if (!fs::exists(text) && has_data)
            dump_transaction_log(data, text);
        if (fs::exists(text)) {
            result.push_back(
                {text, has_data ? zxids_of_files(data, "snapshot") : std::vector<std::int64_t>{}});
        }
    }
    if (result.empty())
        for (const auto& text : entries(folder, "txnlog", ".txt"))
            result.push_back({text, {}});
    return result;
}

/// The server's name: "server-1", or the file's name if it lies in no server's folder.
std::string server_of(const fs::path& text) {
    const auto folder = text.parent_path().filename().string();
    return folder.starts_with("server-") ? folder : text.filename().string();
}

} // namespace

run_files::run_files(const std::vector<fs::path>& from) {
    std::vector<fs::path> histories;
    std::vector<log_file> logs;
    for (const auto& path : from) {
        if (fs::is_directory(path)) {
            const auto more = histories_in(path);
            histories.insert(histories.end(), more.begin(), more.end());
            const auto more_logs = logs_in(path);
            logs.insert(logs.end(), more_logs.begin(), more_logs.end());
        } else if (path.extension() == ".jsonl") {
            histories.push_back(path);
        } else {
            logs.push_back({path, {}});
        }
    }
    if (histories.empty())
        throw std::runtime_error{"no history: a run has *.jsonl files"};
    const auto open = [](const fs::path& file) {
        std::ifstream in{file, std::ios::binary};
        if (!in)
            throw std::runtime_error{"cannot read " + file.string()};
        return in;
    };
    for (const auto& file : histories) {
        auto in = open(file);
        read_history(in, file.filename().string(), told);
    }
    for (const auto& file : logs) {
        auto in = open(file.text);
        log.read(in, server_of(file.text), file.snapshots);
    }
    if (log.empty())
        throw std::runtime_error{"no transaction log, and without one nothing is proved"};
}

} // namespace turnstile::check
