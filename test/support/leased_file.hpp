// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "unique_fd.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <thread>

namespace turnstile::test {

/// A file whose open() waits, as on a file server that is away. The kernel has a reader wait while
/// another descriptor has a lease on the file (F_SETLEASE), which this object holds. It gives the
/// lease back after let_go(), or five seconds after a reader has come: then a reader that ought not
/// to wait fails its test, and does not wait for ever.
class leased_file {
public:
    explicit leased_file(const std::string& path)
        : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)), before_(std::signal(SIGIO, SIG_IGN)) {
        if (::fcntl(file_.get(), F_SETLEASE, F_WRLCK) != 0)
            throw std::runtime_error("no lease on " + path);
        keeper_ = std::thread([this] { keep(); });
    }
    ~leased_file() {
        let_go();
        keeper_.join();
        std::signal(SIGIO, before_);
    }
    leased_file(const leased_file&) = delete;
    leased_file& operator=(const leased_file&) = delete;

    /// Whether a thread has tried to open the file.
    bool has_reader() const { return has_reader_; }
    /// Whether a reader waits, or would wait.
    bool is_kept_back() const { return kept_back_; }
    void let_go() { wanted_back_ = true; }

private:
    /// Runs in a thread: keeps the lease until its time is over.
    void keep() {
        auto end = std::chrono::steady_clock::time_point::max();
        while (!wanted_back_ && std::chrono::steady_clock::now() < end) {
            if (!has_reader_ && ::fcntl(file_.get(), F_GETLEASE) != F_WRLCK) {
                has_reader_ = true;
                end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
            }
            // justified: the kernel tells of a reader by a signal, which is the process's
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        kept_back_ = false;
        ::fcntl(file_.get(), F_SETLEASE, F_UNLCK);
    }

    unique_fd file_;
    void (*before_)(int); // the handler of SIGIO, by which the kernel asks for the lease
    std::atomic<bool> has_reader_{false};
    std::atomic<bool> kept_back_{true};
    std::atomic<bool> wanted_back_{false};
    std::thread keeper_;
};

} // namespace turnstile::test
