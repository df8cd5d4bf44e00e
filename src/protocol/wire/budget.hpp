// SPDX-License-Identifier: BSL-1.0
// How many bytes of ticket paths one session may have at the server.
#pragma once

#include <cstddef>
#include <utility>

namespace turnstile::protocol {

/// A session's tickets are deleted in one transaction when it closes: above 2 MB of paths the
/// server cannot restart (ZOOKEEPER-4306), so a session keeps well below. An eighth is kept for
/// paths where the session has no ticket yet, and there for locks that turn out free: otherwise
/// those in line for A, or for a thousand others, would starve the holder of A that needs B. A part
/// of a multi_lock that holds other parts may use all of it.
class budget {
public:
    explicit budget(std::size_t limit) : limit_(limit) {}

    bool fits(std::size_t bytes, bool has_ticket_there) const {
        return used_ + bytes <= (has_ticket_there ? limit_ - limit_ / 8 : limit_);
    }
    void take(std::size_t bytes) { used_ += bytes; }
    void give(std::size_t bytes) {
        used_ -= bytes;
        freed_ = freed_ || bytes > 0;
    }
    /// Whether bytes were given back since this was asked last.
    bool freed() { return std::exchange(freed_, false); }

private:
    std::size_t limit_;
    std::size_t used_ = 0;
    bool freed_ = false;
};

/// What one ticket costs: its path, and four bytes of length.
constexpr std::size_t ticket_cost(std::size_t path_bytes) { return path_bytes + 4; }

} // namespace turnstile::protocol
