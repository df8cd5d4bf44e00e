// SPDX-License-Identifier: BSL-1.0
// A socket whose bytes are collected on both sides of the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace turnstile::bench {

/// What the C client writes leaves with flush(), in one write. One read takes what has arrived, and
/// the C client gets it piece by piece.
class collected_socket {
public:
    /// Made at the first call.
    static collected_socket& of(int fd);
    static void forget(int fd);

    explicit collected_socket(int fd) : fd_(fd) {}

    void send(std::string_view bytes) { out_.append(bytes); }
    void flush();
    ssize_t receive(void* to, std::size_t most);
    bool has_input() const { return begin_ < end_; }

private:
    const int fd_;
    std::string out_;
    std::array<char, 16 * 1024> in_{};
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

} // namespace turnstile::bench
