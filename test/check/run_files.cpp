#include "checker.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace turnstile::check {
namespace {

namespace fs = std::filesystem;

/// What in the folder has such a name, sorted.
std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix,
                              std::string_view suffix) {
    std::vector<fs::path> result;
    if (fs::is_directory(folder)) {
        for (const auto& entry : fs::directory_iterator{folder}) {
            const auto name = entry.path().filename().string();
            if (name.starts_with(prefix) && name.ends_with(suffix)) {
                result.push_back(entry.path());
            }
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<fs::path> histories_in(const fs::path& folder) {
    auto result = entries(folder / "history", "", ".jsonl");
    return result.empty() ? entries(folder, "", ".jsonl") : result;
}

/// One file per server where there are any: how many servers have a transaction matters.
std::vector<fs::path> logs_in(const fs::path& folder) {
    std::vector<fs::path> result;
    for (const auto& server : entries(folder, "server-", "")) {
        const auto text = server / "transactions.txt";
        if (!fs::exists(text) && fs::is_directory(server / "version-2")) {
            dump_transaction_log(server / "version-2", text);
        }
        if (fs::exists(text)) {
            result.push_back(text);
        }
    }
    return result.empty() ? entries(folder, "txnlog", ".txt") : result;
}

} // namespace

run_files::run_files(const std::vector<fs::path>& from) {
    std::vector<fs::path> histories;
    std::vector<fs::path> logs;
    for (const auto& path : from) {
        if (fs::is_directory(path)) {
            const auto more = histories_in(path);
            histories.insert(histories.end(), more.begin(), more.end());
            const auto more_logs = logs_in(path);
            logs.insert(logs.end(), more_logs.begin(), more_logs.end());
        } else {
            (path.extension() == ".jsonl" ? histories : logs).push_back(path);
        }
    }
    if (histories.empty()) {
        throw std::runtime_error{"no history: a run has *.jsonl files"};
    }
    const auto open = [](const fs::path& file) {
        std::ifstream in{file, std::ios::binary};
        if (!in) {
            throw std::runtime_error{"cannot read " + file.string()};
        }
        return in;
    };
    for (const auto& file : histories) {
        auto in = open(file);
        read_history(in, file.filename().string(), told);
    }
    for (const auto& file : logs) {
        auto in = open(file);
        log.read(in);
    }
    if (log.empty()) {
        throw std::runtime_error{"no transaction log, and without one nothing is proved"};
    }
}

} // namespace turnstile::check
