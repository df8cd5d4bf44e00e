// Allocations that fail when a test says so.
#pragma once

#include <cstddef>
#include <limits>

namespace turnstile::test {

/// The n-th allocation in its windows throws std::bad_alloc, or so many from there on, and no other
/// one. A program that links allocation_fault.cpp has its operator new replaced, and aligned_alloc,
/// from which Asio 1.81 has its small blocks. malloc, and so the C client, is left alone.
class allocation_fault {
public:
    /// Told at the allocation that would fail; true lets it succeed, and the next one fail.
    using exemption = bool (*)();

    static constexpr auto all = std::numeric_limits<std::size_t>::max();

    explicit allocation_fault(std::size_t nth, exemption exempt = nullptr, std::size_t failures = 1)
        : left_(nth), exempt_(exempt), failures_(failures) {}
    allocation_fault(const allocation_fault&) = delete;
    allocation_fault& operator=(const allocation_fault&) = delete;

    bool happened() const { return happened_; }

    /// While one exists, allocations of its thread count. Not nested.
    class window {
    public:
        explicit window(allocation_fault& of);
        ~window();
        window(const window&) = delete;
        window& operator=(const window&) = delete;
    };
    /// Inside a window: what the test itself allocates does not count.
    class truce {
    public:
        truce();
        ~truce();
        truce(const truce&) = delete;
        truce& operator=(const truce&) = delete;

    private:
        allocation_fault* interrupted_;
    };

    /// Counts one more allocation of this thread; whether it is the one to fail.
    static bool strikes() noexcept;

private:
    std::size_t left_; // 1: the next one fails; 0: no further one
    exemption exempt_;
    std::size_t failures_;
    bool happened_ = false;
};

/// Blocks of the whole program that were allocated and not freed.
std::ptrdiff_t blocks_in_use() noexcept;

} // namespace turnstile::test
