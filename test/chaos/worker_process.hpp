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

/// The process of a worker, as the schedule sees it. Lines on its standard input tell it what to
/// do. It can be stopped, killed, and started again under a new name.
class worker_process {
public:
    struct options {
        std::string name;              ///< of the first incarnation
        std::vector<std::string> argv; ///< without --name
        std::filesystem::path output_file;
        bool observes = false; ///< it observes elections, and contends for nothing
    };

    explicit worker_process(options how) : options_{std::move(how)} {}

    void start() {
        process_.reset();
        ++incarnation_;
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            throw std::system_error{errno, std::generic_category(), "pipe2"};
        const test::unique_fd input{ends[0]};
        commands_ = test::unique_fd{ends[1]};
        (void)::fcntl(commands_.get(), F_SETFL, O_NONBLOCK); // a stopped worker reads nothing
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
    /// Returns false if the line could not be sent.
    bool command(std::string_view line) noexcept {
        const std::string text = std::string{line} + '\n';
        // The pipe of a worker that has ended raises SIGPIPE, which the run ignores.
        const auto written = ::write(commands_.get(), text.data(), text.size());
        return written == static_cast<ssize_t>(text.size());
    }
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
    /// of this incarnation
    [[nodiscard]] std::string name() const {
        return incarnation_ <= 1 ? options_.name
                                 : options_.name + "." + std::to_string(incarnation_);
    }

    /// How many of its contenders were not served. Nothing if it was killed.
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
    int incarnation_ = 0;
    std::optional<test::child_process> process_;
    test::unique_fd commands_;
    bool paused_ = false;
};

} // namespace turnstile::chaos
