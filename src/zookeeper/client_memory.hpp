// The memory of the C client: what it gives back is kept for what it asks for next.
#pragma once

#include <array>
#include <cstddef>

namespace turnstile::zookeeper {

/// A request and its answer take some 14 blocks, and give all of them back. malloc and free took
/// 170 instructions for each of them, and what calloc gets is none of what free keeps at hand.
/// Longer blocks, and what comes back beyond `most_kept` of a length, are malloc's.
///
/// Made for static storage: it has no destructor. Guarded by c_client_lock where the C client uses
/// it.
class client_memory {
public:
    constexpr explicit client_memory(std::size_t most_kept) : most_kept_(most_kept) {}
    client_memory(const client_memory&) = delete;
    client_memory& operator=(const client_memory&) = delete;

    // As malloc and its kin do it, in their order: null where there is no memory.
    void* allocate(std::size_t size) noexcept;
    void release(void* bytes) noexcept;
    void* allocate_zeros(std::size_t count, std::size_t size) noexcept;
    void* resize(void* bytes, std::size_t size) noexcept;
    char* copy(const char* text) noexcept;

    /// Blocks that are at hand.
    std::size_t kept() const noexcept;
    void give_back() noexcept;

private:
    struct block;
    struct shelf {
        block* first = nullptr;
        std::size_t count = 0;
    };

    static constexpr std::size_t grain = 64;
    static constexpr std::size_t lengths = 8;

    void* make(std::size_t size) noexcept;

    const std::size_t most_kept_;
    std::array<shelf, lengths + 1> shelves_{}; // by the number of grains
};

} // namespace turnstile::zookeeper
