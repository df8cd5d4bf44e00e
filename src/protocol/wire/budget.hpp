// SPDX-License-Identifier: BSL-1.0
// Limits how many bytes of ticket paths one session may have at the server.
#pragma once

#include <cstddef>
#include <utility>

namespace turnstile::protocol {

/// A session's tickets are deleted in one transaction when it closes: above 2 MB of paths the
/// server cannot restart (ZOOKEEPER-4306), so a session keeps well below. An eighth is kept for
/// paths where the session has no ticket yet, and there for locks that turn out free: otherwise
/// tickets in line for A, or for a thousand other locks, would starve the holder of A that needs B.
/// A part of a multi_lock that holds other parts may use all of it.
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

/// Bytes that one owner has taken from a budget. They go back with it.
class claim {
public:
    claim() = default;
    /// Takes the bytes, whether there is room or not.
    claim(budget& from, std::size_t bytes) : from_(&from), bytes_(bytes) { from.take(bytes); }
    claim(claim&& other) noexcept { *this = std::move(other); }
    claim& operator=(claim&& other) noexcept {
        std::swap(from_, other.from_);
        std::swap(bytes_, other.bytes_);
        std::swap(in_reserve_, other.in_reserve_);
        return *this;
    }
    ~claim() { give(); }

    bool empty() const { return bytes_ == 0; }
    /// False: there is no room for them.
    bool take(budget& from, std::size_t bytes, bool has_ticket_there) {
        if (!from.fits(bytes, has_ticket_there))
            return false;
        const bool is_last = !from.fits(bytes, true);
        *this = claim(from, bytes);
        in_reserve_ = is_last;
        return true;
    }
    /// The path has become longer.
    void grow_to(std::size_t bytes) {
        if (bytes > bytes_)
            from_->take(bytes - std::exchange(bytes_, bytes));
    }
    void give() {
        if (from_)
            from_->give(std::exchange(bytes_, 0));
        in_reserve_ = false;
    }
    bool is_in_reserve() const { return in_reserve_; }
    /// The lock turned out not to be free. True: the bytes are of the last eighth, and no other
    /// bytes have become free since, so the owner must not wait with them.
    bool must_not_wait() { return in_reserve_ = in_reserve_ && !from_->fits(0, true); }
    /// The owner may wait with them.
    void leave_reserve() { in_reserve_ = false; }

private:
    budget* from_ = nullptr;
    std::size_t bytes_ = 0;
    bool in_reserve_ = false;
};

/// What one ticket costs: its path, and four bytes of length.
constexpr std::size_t ticket_cost(std::size_t path_bytes) { return path_bytes + 4; }

} // namespace turnstile::protocol
