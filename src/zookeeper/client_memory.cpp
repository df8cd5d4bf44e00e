#include "zookeeper/client_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace turnstile::zookeeper {

/// Stands before the bytes that the C client gets.
struct alignas(std::max_align_t) client_memory::block {
    std::size_t capacity;
    union {
        shelf* home; // where it goes when it is given back; null: to free
        block* next; // while it is kept
    };

    void* bytes() { return this + 1; }
    static block& of(void* bytes) { return *(static_cast<block*>(bytes) - 1); }
};

void* client_memory::allocate(std::size_t size) noexcept {
    if (size > lengths * grain)
        return make(size);
    auto& from = shelves_[(size + grain - 1) / grain];
    auto* const kept = from.first;
    if (!kept)
        return make(size);
    from.first = kept->next;
    --from.count;
    kept->home = &from;
    return kept->bytes();
}

void* client_memory::make(std::size_t size) noexcept {
    const bool is_short = size <= lengths * grain;
    const auto grains = (size + grain - 1) / grain;
    const auto capacity = is_short ? grains * grain : size;
    if (capacity > PTRDIFF_MAX - sizeof(block))
        return nullptr;
    auto* const made = static_cast<block*>(std::malloc(sizeof(block) + capacity));
    if (!made)
        return nullptr;
    made->capacity = capacity;
    made->home = is_short ? &shelves_[grains] : nullptr;
    return made->bytes();
}

void client_memory::release(void* bytes) noexcept {
    if (!bytes)
        return;
    auto& left = block::of(bytes);
    auto* const to = left.home;
    if (!to || to->count >= most_kept_)
        return std::free(&left);
    ++to->count;
    left.next = to->first;
    to->first = &left;
}

void* client_memory::allocate_zeros(std::size_t count, std::size_t size) noexcept {
    if (size != 0 && count > PTRDIFF_MAX / size)
        return nullptr;
    auto* const bytes = allocate(count * size);
    return bytes ? std::memset(bytes, 0, count * size) : nullptr;
}

void* client_memory::resize(void* bytes, std::size_t size) noexcept {
    const auto capacity = bytes ? block::of(bytes).capacity : 0;
    if (bytes && size <= capacity)
        return bytes;
    auto* const longer = allocate(size);
    if (!longer)
        return nullptr;
    if (bytes)
        std::memcpy(longer, bytes, capacity);
    release(bytes);
    return longer;
}

char* client_memory::copy(const char* text) noexcept {
    const auto size = std::strlen(text) + 1;
    auto* const bytes = allocate(size);
    return bytes ? static_cast<char*>(std::memcpy(bytes, text, size)) : nullptr;
}

std::size_t client_memory::kept() const noexcept {
    std::size_t count = 0;
    for (const auto& each : shelves_)
        count += each.count;
    return count;
}

void client_memory::give_back() noexcept {
    for (auto& each : shelves_)
        while (each.first) {
            --each.count;
            std::free(std::exchange(each.first, each.first->next));
        }
}

} // namespace turnstile::zookeeper
