// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/child_process.hpp"
#include "support/unique_fd.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
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

    void start();
    void kill() noexcept;
    void pause() noexcept;
    void resume() noexcept;
    /// Returns false if the line could not be sent.
    bool command(std::string_view line) noexcept;
    void ask_to_stop() noexcept;
    [[nodiscard]] bool wait_for_end(std::chrono::milliseconds limit) noexcept;

    [[nodiscard]] bool running() noexcept { return process_ && process_->running(); }
    [[nodiscard]] bool observes() const noexcept { return options_.observes; }
    [[nodiscard]] bool paused() const noexcept { return paused_; }
    [[nodiscard]] std::string name() const; ///< of this incarnation

    /// How many of its contenders were not served. Nothing if it was killed.
    [[nodiscard]] std::optional<std::size_t> not_served() noexcept;
    [[nodiscard]] std::string how_it_ended();

private:
    options options_;
    int incarnation_ = 0;
    std::optional<test::child_process> process_;
    test::unique_fd commands_;
    bool paused_ = false;
};

} // namespace turnstile::chaos
