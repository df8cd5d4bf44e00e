// SPDX-License-Identifier: BSL-1.0
// Finds and reads the files of a run: histories of its processes, and logs of its servers.
#include "checker.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace turnstile::check {
namespace {

namespace fs = std::filesystem;

/// The files and folders in `folder` that have such a name, sorted.
std::vector<fs::path> named_in(const fs::path& folder, std::string_view prefix,
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
    auto result = named_in(folder / "history", "", ".jsonl");
    return result.empty() ? named_in(folder, "", ".jsonl") : result;
}

/// One server's transaction log.
struct log_file {
    fs::path text;
    std::vector<std::int64_t> snapshots; // the last zxid of each
};

/// The logs in the folder, one for each server: it matters how many servers have a transaction. A
/// log that is there only as ZooKeeper wrote it is dumped as text first.
std::vector<log_file> logs_in(const fs::path& folder) {
    std::vector<log_file> result;
    for (const auto& server : named_in(folder, "server-", "")) {
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
        for (const auto& text : named_in(folder, "txnlog", ".txt"))
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
            const auto its_histories = histories_in(path);
            histories.insert(histories.end(), its_histories.begin(), its_histories.end());
            const auto its_logs = logs_in(path);
            logs.insert(logs.end(), its_logs.begin(), its_logs.end());
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
