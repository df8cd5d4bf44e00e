// Allocations that fail when a test says so.
#pragma once

#include <cstddef>

namespace turnstile::test {

/// The n-th allocation in its windows throws std::bad_alloc, and no other one. A program that links
/// allocation_fault.cpp has its operator new replaced. malloc, and so the C client, is left alone.
class allocation_fault {
public:
    /// 0: none fails.
    explicit allocation_fault(std::size_t nth) : left_(nth) {}
    allocation_fault(const allocation_fault&) = delete;
    allocation_fault& operator=(const allocation_fault&) = delete;

    bool happened() const { return happened_; }
    std::size_t counted() const { return counted_; }

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
    std::size_t left_;
    std::size_t counted_ = 0;
    bool happened_ = false;
};

/// Blocks of the whole program that were allocated and not freed.
std::ptrdiff_t blocks_in_use() noexcept;

} // namespace turnstile::test
