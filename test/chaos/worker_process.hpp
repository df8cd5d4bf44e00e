// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/child_process.hpp"
#include "support/unique_fd.hpp"
#include "worker_exit.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace turnstile::chaos {

/// The process of a worker, as the schedule sees it. It runs, is paused, or has ended. It can be
/// started again, under a new name. Lines on its standard input tell it what to do (worker.cpp).
/// process_faults owns it, and calls it on one thread.
class worker_process {
public:
    struct options {
        std::string name;                  ///< of its first start
        std::vector<std::string> argv;     ///< without --name, which each start adds
        std::filesystem::path output_file; ///< of all starts
        bool observes = false;             ///< it observes elections, and contends for nothing
    };

    explicit worker_process(options how) : options_{std::move(how)} {}

    /// Starts it, or starts it again: then the process before is killed if it still runs.
    void start() {
        process_.reset();
        ++starts_;
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            throw std::system_error{errno, std::generic_category(), "pipe2"};
        const test::unique_fd input{ends[0]};
        commands_ = test::unique_fd{ends[1]};
        (void)::fcntl(commands_.get(), F_SETFL, O_NONBLOCK); // a paused worker reads nothing
        auto argv = options_.argv;
        argv.insert(argv.end(), {"--name", name()});
        process_.emplace(test::child_process::options{
            .argv = argv, .output_file = options_.output_file, .input = input.get()});
        paused_ = false;
    }
    void kill() noexcept {
        if (process_)
            process_->kill_and_wait();
        paused_ = false;
    }
    void pause() noexcept {
        if (process_) {
            process_->freeze();
            paused_ = true;
        }
    }
    void resume() noexcept {
        if (process_)
            process_->thaw();
        paused_ = false;
    }
    /// Sends it a line. False if the line could not be sent.
    bool command(std::string_view line) noexcept {
        const std::string text = std::string{line} + '\n';
        // The pipe of a worker that has ended raises SIGPIPE, which the run ignores.
        const auto written = ::write(commands_.get(), text.data(), text.size());
        return written == static_cast<ssize_t>(text.size());
    }
    /// It ends at once; its exit code tells how many contenders were not served by then.
    void ask_to_stop() noexcept {
        if (process_)
            process_->signal(SIGTERM);
    }
    [[nodiscard]] bool wait_for_end(std::chrono::milliseconds limit) noexcept {
        return !process_ || process_->wait_for_end(limit);
    }

    [[nodiscard]] bool running() noexcept { return process_ && process_->running(); }
    [[nodiscard]] bool observes() const noexcept { return options_.observes; }
    [[nodiscard]] bool paused() const noexcept { return paused_; }
    /// "worker-3"; from the second start on "worker-3.2".
    [[nodiscard]] std::string name() const {
        return starts_ <= 1 ? options_.name : options_.name + "." + std::to_string(starts_);
    }

    /// How many of its contenders were not served. Nothing if it runs, was killed, or has failed.
    [[nodiscard]] std::optional<std::size_t> not_served() noexcept {
        const auto status = process_ ? process_->exit_status() : std::nullopt;
        if (!status || *status < 0 || *status > most_not_served)
            return std::nullopt;
        return static_cast<std::size_t>(*status);
    }
    [[nodiscard]] std::string how_it_ended() {
        const auto status = process_ ? process_->exit_status() : std::nullopt;
        if (!status)
            return "still running";
        return *status < 0 ? "signal " + std::to_string(-*status)
                           : "exit code " + std::to_string(*status);
    }

private:
    options options_;
    int starts_ = 0;
    std::optional<test::child_process> process_;
    test::unique_fd commands_; // the pipe to its standard input
    bool paused_ = false;
};

} // namespace turnstile::chaos
