// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>

namespace turnstile::test {

/// Draws of one lane: the same for the same seed, whatever other lanes draw.
class dice {
public:
    dice(std::uint64_t seed, std::string_view lane) {
        std::uint64_t mixed = 14'695'981'039'346'656'037U; // FNV-1a, the same on every system
        for (const char c : lane)
            mixed = (mixed ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
        engine_.seed(mixed ^ seed);
    }

    [[nodiscard]] std::uint64_t number() { return engine_(); }
    [[nodiscard]] std::size_t below(std::size_t n) { return engine_() % n; }
    [[nodiscard]] bool one_in(std::size_t n) { return below(n) == 0; }
    [[nodiscard]] std::chrono::milliseconds between(std::int64_t low_ms, std::int64_t high_ms) {
        const auto width = static_cast<std::uint64_t>(high_ms - low_ms + 1);
        return std::chrono::milliseconds{low_ms + static_cast<std::int64_t>(engine_() % width)};
    }
    template <class T>
    [[nodiscard]] T one_of(std::initializer_list<T> choices) {
        return choices.begin()[below(choices.size())];
    }

private:
    std::mt19937_64 engine_;
};

} // namespace turnstile::test
