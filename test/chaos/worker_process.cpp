// SPDX-License-Identifier: BSL-1.0
#include "worker_process.hpp"

#include "worker_exit.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace turnstile::chaos {

void worker_process::start() {
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

std::string worker_process::name() const {
    return incarnation_ <= 1 ? options_.name : options_.name + "." + std::to_string(incarnation_);
}

void worker_process::kill() noexcept {
    if (process_)
        process_->kill_and_wait();
    paused_ = false;
}

void worker_process::pause() noexcept {
    if (process_) {
        process_->freeze();
        paused_ = true;
    }
}

void worker_process::resume() noexcept {
    if (process_)
        process_->thaw();
    paused_ = false;
}

bool worker_process::command(std::string_view line) noexcept {
    const std::string text = std::string{line} + '\n';
    // The pipe of a worker that has ended raises SIGPIPE, which the run ignores.
    const auto written = ::write(commands_.get(), text.data(), text.size());
    return written == static_cast<ssize_t>(text.size());
}

void worker_process::ask_to_stop() noexcept {
    if (process_)
        process_->signal(SIGTERM);
}

bool worker_process::wait_for_end(std::chrono::milliseconds limit) noexcept {
    return !process_ || process_->wait_for_end(limit);
}

std::optional<std::size_t> worker_process::not_served() noexcept {
    const auto status = process_ ? process_->exit_status() : std::nullopt;
    if (!status || *status < 0 || *status > most_not_served)
        return std::nullopt;
    return static_cast<std::size_t>(*status);
}

std::string worker_process::how_it_ended() {
    const auto status = process_ ? process_->exit_status() : std::nullopt;
    if (!status)
        return "still running";
    return *status < 0 ? "signal " + std::to_string(-*status)
                       : "exit code " + std::to_string(*status);
}

} // namespace turnstile::chaos
