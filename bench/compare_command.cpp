// SPDX-License-Identifier: BSL-1.0
#include "compare_command.hpp"

#include "comparison.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace turnstile::bench {

compare_command::compare_command(CLI::App& app)
    : options_(app.add_subcommand("compare", "two files of rows, A.json B.json")) {
    options_->add_option("files", files_, "base and new");
    options_->add_option("--base", base_, "several runs of the base");
    options_->add_option("--new", now_, "several runs of the new");
    options_->add_flag("--fail-on-worse", fail_on_worse_, "exit code 1 if something is");
    options_->add_option("--least-percent", least_percent_, "a smaller difference is none")
        ->check(CLI::Range(0, 100));
}

int compare_command::run(const std::string& json) {
    try {
        if (files_.size() == 2 && base_.empty() && now_.empty()) {
            base_ = {files_[0]};
            now_ = {files_[1]};
        } else if (!files_.empty() || base_.empty() || now_.empty()) {
            throw std::runtime_error("compare takes two files, or --base FILE... --new FILE...");
        }
        const auto result = compare(read_side(base_), read_side(now_), least_percent_ / 100);
        print_comparison(result);
        if (!json.empty())
            write_comparison(result, json);
        return fail_on_worse_ && result.worse() > 0 ? 1 : 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "turnstile-bench: %s\n", e.what());
        return 2;
    }
}

} // namespace turnstile::bench
