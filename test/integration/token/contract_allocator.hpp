// SPDX-License-Identifier: BSL-1.0
// An allocator that counts, to see who uses it and whether everything comes back.
#pragma once

#include "support/pch.hpp"

namespace turnstile::test {

struct allocation_count {
    std::size_t made = 0;
    std::size_t live = 0;
};

template <class T>
class counting_allocator {
public:
    using value_type = T;

    explicit counting_allocator(allocation_count& count) noexcept : count_(&count) {}
    template <class U>
    counting_allocator(const counting_allocator<U>& other) noexcept : count_(other.count_) {}

    T* allocate(std::size_t n) {
        ++count_->made;
        ++count_->live;
        return std::allocator<T>{}.allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept {
        --count_->live;
        std::allocator<T>{}.deallocate(p, n);
    }

    template <class U>
    bool operator==(const counting_allocator<U>& other) const noexcept {
        return count_ == other.count_;
    }

private:
    template <class U>
    friend class counting_allocator;

    allocation_count* count_;
};

} // namespace turnstile::test
