// Which states were seen, at eight bytes each and some room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace turnstile::test {

/// Open addressing: the digests are as good as random, so they are their own hashes.
class digest_set {
public:
    /// Whether it is new.
    bool insert(std::uint64_t digest) {
        if (digest == 0)
            digest = 1; // 0 is a free slot
        if (2 * size_ >= slots_.size())
            grow();
        return put(digest);
    }
    std::size_t size() const { return size_; }

private:
    bool put(std::uint64_t digest) {
        auto at = static_cast<std::size_t>(digest) & (slots_.size() - 1);
        while (slots_[at] != 0 && slots_[at] != digest)
            at = (at + 1) & (slots_.size() - 1);
        if (slots_[at] == digest)
            return false;
        slots_[at] = digest;
        ++size_;
        return true;
    }
    void grow() {
        const auto wanted = slots_.empty() ? 1024 : 2 * slots_.size();
        const auto old = std::exchange(slots_, std::vector<std::uint64_t>(wanted));
        size_ = 0;
        for (const auto digest : old)
            if (digest != 0)
                put(digest);
    }

    std::vector<std::uint64_t> slots_;
    std::size_t size_ = 0;
};

} // namespace turnstile::test
