// SPDX-License-Identifier: BSL-1.0
#include "bare_api.hpp"
#include "progress.hpp"
#include "quantile.hpp"
#include "scenarios.hpp"
#include "tool_output.hpp"

#include "support/child_process.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace turnstile::bench {

namespace {

using counts = std::map<std::string, double>;

constexpr std::size_t fewer_pairs = 500; // taken off, and with them start, connection and end
constexpr std::chrono::minutes longest_run{10};

std::string all_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Counts what runs of this program's `pairs` cost.
class counting {
public:
    /// `whose`: an option of `pairs`; none for Turnstile's.
    explicit counting(const target& server, std::string whose = {})
        : server_(server), whose_(std::move(whose)) {}

    counts count(std::size_t pairs) const {
        run({"valgrind", "--tool=callgrind", "--callgrind-out-file=" + found_.string()}, pairs);
        std::ifstream callgrind(found_);
        const auto [instructions, allocations] = read_callgrind(callgrind);
        run({"strace", "-f", "-c", "-o", found_.string()}, pairs);
        std::ifstream strace(found_);
        auto result = read_strace(strace);
        result["instructions"] = instructions;
        result["allocations"] = allocations;
        return result;
    }

private:
    void run(std::vector<std::string> argv, std::size_t pairs) const {
        const auto tool = argv.front();
        std::filesystem::remove(found_);
        std::filesystem::remove(said_);
        for (auto& each : {std::filesystem::read_symlink("/proc/self/exe").string(),
                           std::string("pairs"), std::string("--iterations"), std::to_string(pairs),
                           std::string("--server"), server_.servers()})
            argv.push_back(each);
        if (!server_.authorities().empty())
            argv.insert(argv.end(), {"--tls-ca", server_.authorities()});
        if (!whose_.empty())
            argv.push_back(whose_);
        try {
            test::child_process child({.argv = argv, .output_file = said_});
            if (!child.wait_for_end(longest_run))
                throw std::runtime_error(tool + " takes longer than ten minutes");
            if (child.exit_status() != 0)
                throw std::runtime_error(tool + " fails:\n" + all_of(said_));
        } catch (const std::system_error& e) {
            throw std::runtime_error(tool + " cannot be run (" + e.what() +
                                     "): `scripts/setup.sh valgrind strace` installs it");
        }
    }

    const target& server_;
    const std::string whose_;
    test::temp_folder folder_{"turnstile-bench-"};
    std::filesystem::path found_ = folder_.path() / "found";
    std::filesystem::path said_ = folder_.path() / "said";
};

row measure(const counting& counter, const char* strategy, std::size_t pairs, std::size_t repeats,
            progress& shown) {
    row result{.scenario = "cost", .strategy = strategy, .count = pairs};
    std::map<std::string, std::vector<double>> each_call;
    for (std::size_t i = 0; i < repeats; ++i) {
        const auto fewer = counter.count(fewer_pairs);
        auto per_pair = counter.count(fewer_pairs + pairs);
        for (auto& [name, value] : per_pair) {
            const auto before = fewer.find(name);
            value =
                (value - (before == fewer.end() ? 0 : before->second)) / static_cast<double>(pairs);
        }
        result.blocks["instructions_per_acquire_release"].push_back(
            per_pair.extract("instructions").mapped());
        result.blocks["allocations_per_acquire_release"].push_back(
            per_pair.extract("allocations").mapped());
        double calls = 0;
        for (const auto& [name, value] : per_pair) {
            calls += value;
            each_call[name].push_back(value);
        }
        result.blocks["system_calls_per_acquire_release"].push_back(calls);
        shown.at(i, repeats);
    }
    result.instructions_per_acquire_release =
        median(result.blocks["instructions_per_acquire_release"]);
    result.allocations_per_acquire_release =
        median(result.blocks["allocations_per_acquire_release"]);
    result.system_calls_per_acquire_release =
        median(result.blocks["system_calls_per_acquire_release"]);
    // What is not called for each pair belongs to a beat, or to memory that grows.
    for (const auto& [name, values] : each_call)
        if (median(values) > 0.1)
            result.system_calls[name] = median(values);
    return result;
}

} // namespace

rows measure_cost(const target& server, std::size_t pairs, std::size_t repeats) {
    progress shown("cost");
    return {
        measure(counting(server), "turnstile", pairs, repeats, shown),
        measure(counting(server, "--bare-client"), plain_api.strategy, pairs, repeats, shown),
        measure(counting(server, "--redirected"), redirected_api.strategy, pairs, repeats, shown)};
}

} // namespace turnstile::bench
