// Tables whose entries come and go: the memory that one entry leaves is kept for the next one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace turnstile::protocol {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool keeps_memory = false; // nobody would see an entry used after it had left
#else
inline constexpr bool keeps_memory = true;
#endif

/// An allocator. A lock that is taken and released enters some ten tables and leaves them, and
/// malloc and free take 150 instructions for each. Each table keeps what was left last, up to
/// `Most` entries.
template <class Value, std::size_t Most = 1>
class kept_memory {
public:
    using value_type = Value;
    using is_always_equal = std::true_type; // any of them may give back what another one took
    using propagate_on_container_move_assignment = std::true_type; // or libc++ would move entries
    template <class Other>
    struct rebind {
        using other = kept_memory<Other, Most>;
    };

    kept_memory() noexcept = default;
    // What is kept stays where it is.
    kept_memory(const kept_memory&) noexcept {}
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): nothing is copied
    kept_memory& operator=(const kept_memory&) noexcept { return *this; }
    template <class Other>
    kept_memory(const kept_memory<Other, Most>&) noexcept {}
    ~kept_memory() {
        while (kept_)
            give_back(take_kept(), 1);
    }

    Value* allocate(std::size_t count) {
        if (count == 1 && kept_)
            return static_cast<Value*>(take_kept());
        return std::allocator<Value>().allocate(count);
    }
    void deallocate(Value* left, std::size_t count) noexcept {
        if (!keeps_memory || count != 1 || count_ == Most)
            return give_back(left, count);
        // NOLINTNEXTLINE(bugprone-sizeof-expression): the buckets of a table are pointers
        static_assert(sizeof(Value) >= sizeof(place) && alignof(Value) >= alignof(place));
        kept_ = ::new (static_cast<void*>(left)) place{kept_};
        ++count_;
    }

    friend bool operator==(const kept_memory&, const kept_memory&) noexcept { return true; }

private:
    struct place {
        place* next;
    };

    void* take_kept() noexcept {
        --count_;
        return std::exchange(kept_, kept_->next);
    }
    static void give_back(void* left, std::size_t count) noexcept {
        std::allocator<Value>().deallocate(static_cast<Value*>(left), count);
    }

    place* kept_ = nullptr;
    std::size_t count_ = 0;
};

template <class Key, class Value>
using kept_map = std::map<Key, Value, std::less<Key>, kept_memory<std::pair<const Key, Value>>>;
template <class Key>
using kept_set = std::set<Key, std::less<Key>, kept_memory<Key>>;
template <class Key>
using kept_multiset = std::multiset<Key, std::less<Key>, kept_memory<Key>>;
template <class Key, class Value>
using kept_unordered_map = std::unordered_map<Key, Value, std::hash<Key>, std::equal_to<Key>,
                                              kept_memory<std::pair<const Key, Value>>>;

} // namespace turnstile::protocol
