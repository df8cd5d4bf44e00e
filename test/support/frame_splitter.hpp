// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace turnstile::test {

/// Cuts a byte stream into frames.
class frame_splitter {
public:
    void feed(const char* data, std::size_t size) { buffer_.append(data, size); }

    /// The bytes of the next complete frame. What cannot be a frame, such as an administrative
    /// word, is returned as it came.
    [[nodiscard]] std::optional<std::string> next();

private:
    std::string buffer_;
    bool raw_ = false;
};

} // namespace turnstile::test
