// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"

namespace turnstile::interop {

/// A number in a file, which nothing but the lock guards.
class shared_counter {
public:
    explicit shared_counter(std::filesystem::path file) : file_{std::move(file)} { write(0); }

    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

    /// -1 where somebody writes it just now, which the lock should prevent.
    [[nodiscard]] std::int64_t read() const {
        std::ifstream in{file_};
        std::int64_t result = -1;
        return in >> result ? result : -1;
    }

    void write(std::int64_t value) const { std::ofstream{file_, std::ios::trunc} << value; }

private:
    std::filesystem::path file_;
};

} // namespace turnstile::interop
