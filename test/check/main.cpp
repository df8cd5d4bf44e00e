// SPDX-License-Identifier: BSL-1.0
// turnstile-check: checks the histories of a run against the servers' transaction logs.
#include "checker.hpp"

#include <boost/json/serialize.hpp>

#include <exception>
#include <iostream>
#include <string_view>

namespace {

constexpr std::string_view usage =
    "usage: turnstile-check [--json] [--grace-ms N] FILE-OR-FOLDER...\n"
    "Checks a run: exclusion, overlap of beliefs, tokens, order, and that all were served.\n"
    "  FOLDER      history/*.jsonl, and server-*/ or txnlog*.txt\n"
    "  FILE        *.jsonl: a history; other: a server's transaction log as text\n"
    "  --json      the last line is one JSON object\n"
    "  --grace-ms  what a process may take to tell what it learnt after a pause (500)\n"
    "Exit code: 0 all is well, 1 violations, 2 the run cannot be read.\n";

int run(int argc, char** argv) {
    namespace check = turnstile::check;
    bool json = false;
    check::check_options how;
    std::vector<std::filesystem::path> from;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--json") {
            json = true;
        } else if (argument == "--grace-ms" && i + 1 < argc) {
            how.grace = std::stoll(argv[++i]) * 1'000'000;
        } else if (argument.starts_with('-')) {
            std::cerr << usage;
            return argument == "--help" ? 0 : 2;
        } else {
            from.emplace_back(argument);
        }
    }
    if (from.empty()) {
        std::cerr << usage;
        return 2;
    }
    const check::run_files files{from};
    const auto found = check::check_run(files.told, files.log, how);
    for (const auto& v : found.details)
        std::cout << v.rule << ": " << v.text << '\n';
    if (found.violations > found.details.size())
        std::cout << "... and " << found.violations - found.details.size() << " more\n";
    std::cout << found.remarks() << '\n';
    if (json) {
        std::cout << boost::json::serialize(found.summary()) << std::endl;
    } else {
        std::cout << found.violations << " violations in " << found.acquisitions
                  << " acquisitions\n";
    }
    return found.violations == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << "turnstile-check: " << e.what() << '\n';
        return 2;
    }
}
