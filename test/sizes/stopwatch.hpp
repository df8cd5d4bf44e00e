// SPDX-License-Identifier: BSL-1.0
// How long something took, for the figures.
#pragma once

#include <chrono>

namespace turnstile::test {

class stopwatch {
public:
    std::chrono::milliseconds::rep ms() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begin_).count();
    }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point begin_ = clock::now();
};

} // namespace turnstile::test
