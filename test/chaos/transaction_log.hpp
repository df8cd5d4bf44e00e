#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace turnstile::chaos {

/// Where servers disagree on what happened: transactions that a majority logged and that another
/// server jumped over, without a snapshot that brought it their effects. An ensemble that keeps its
/// own promise has none; with one, whatever else is found in the run says nothing about its
/// clients.
struct divergence {
    std::filesystem::path server; ///< that lacks them
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t count = 0;

    [[nodiscard]] std::string text() const;
};

/// Writes the union of the servers' transaction logs as text, one transaction a line in the order
/// of their zxids, by ZooKeeper's own TxnLogToolkit. Each folder is a server's data folder.
std::vector<divergence> dump_transactions(const std::vector<std::filesystem::path>& data_folders,
                                          const std::filesystem::path& output);

} // namespace turnstile::chaos
