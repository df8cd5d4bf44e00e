#include "allocation_fault.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

namespace turnstile::test {

namespace {

constinit thread_local allocation_fault* armed = nullptr;
constinit std::atomic<std::ptrdiff_t> in_use{0};

} // namespace

allocation_fault::window::window(allocation_fault& of) { armed = &of; }
allocation_fault::window::~window() { armed = nullptr; }
allocation_fault::truce::truce() : interrupted_(std::exchange(armed, nullptr)) {}
allocation_fault::truce::~truce() { armed = interrupted_; }

bool allocation_fault::strikes() noexcept {
    if (!armed || armed->left_ == 0)
        return false;
    if (armed->left_ > 1) {
        --armed->left_;
        return false;
    }
    if (armed->exempt_ && armed->exempt_())
        return false;
    armed->happened_ = true;
    armed->left_ -= --armed->failures_ == 0 ? 1 : 0;
    return true;
}

std::ptrdiff_t blocks_in_use() noexcept { return in_use; }

} // namespace turnstile::test

// What the library allocates comes here: the array forms end in these.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    void* const block = turnstile::test::allocation_fault::strikes() ? nullptr : std::malloc(size);
    turnstile::test::in_use += block ? 1 : 0;
    return block;
}

void* operator new(std::size_t size) {
    void* const block = operator new(size, std::nothrow);
    if (!block)
        throw std::bad_alloc();
    return block;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    void* block = nullptr;
    if (turnstile::test::allocation_fault::strikes())
        return nullptr;
    return ::posix_memalign(&block, std::max(alignment, sizeof(void*)), size) == 0 ? block
                                                                                   : nullptr;
}

void operator delete(void* block) noexcept {
    if (!block)
        return;
    --turnstile::test::in_use;
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
