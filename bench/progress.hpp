// SPDX-License-Identifier: BSL-1.0
// One line that says how far a run is, on a terminal only.
#pragma once

#include <cstdio>
#include <string>
#include <unistd.h>

namespace turnstile::bench {

class progress {
public:
    explicit progress(std::string what) : what_(std::move(what)) { show("..."); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { clear(); }

    void at(std::size_t done, std::size_t all) {
        const auto percent = all == 0 ? 100 : done * 100 / all;
        if (percent != percent_)
            show(std::to_string(percent_ = percent) + " %");
    }
    void show(const std::string& state) {
        if (terminal_)
            std::fprintf(stderr, "\r\033[K%s: %s", what_.c_str(), state.c_str());
    }
    void clear() {
        if (terminal_)
            std::fputs("\r\033[K", stderr);
    }
    /// A part of a long run: a line of its own where nobody watches a terminal.
    void step(const std::string& what) {
        show(what);
        if (!terminal_)
            std::fprintf(stderr, "%s: %s\n", what_.c_str(), what.c_str());
    }

private:
    std::string what_;
    bool terminal_ = ::isatty(STDERR_FILENO) == 1;
    std::size_t percent_ = 101;
};

} // namespace turnstile::bench
