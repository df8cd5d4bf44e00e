// SPDX-License-Identifier: BSL-1.0
// What is done with a reply.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace turnstile::protocol {

struct reply;

/// A function that is moved, and has room for four words. A std::function has room for two, and
/// most of these keep their owner, a ticket and its epoch: each would be allocated.
class reply_handler {
public:
    reply_handler() = default;
    template <class Function>
        requires(!std::same_as<Function, reply_handler>)
    reply_handler(Function function) { // NOLINT: a lambda is one
        if constexpr (fits<Function>)
            put(std::move(function));
        else
            put([kept = std::make_unique<Function>(std::move(function))](const reply& answer) {
                (*kept)(answer);
            });
    }
    reply_handler(reply_handler&& other) noexcept { take(other); }
    reply_handler& operator=(reply_handler&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    ~reply_handler() { reset(); }

    void operator()(const reply& answer) const { how_->call(room_.data(), answer); }

private:
    using bytes = std::array<std::byte, 4 * sizeof(void*)>;
    struct manner {
        void (*call)(const void*, const reply&);
        // Null where a copy of the bytes is a move. The place that is moved from is destroyed, too.
        void (*move)(void* from, void* to) noexcept;
        void (*destroy)(void*) noexcept;
    };

    template <class Function>
    static constexpr bool fits =
        sizeof(Function) <= sizeof(bytes) &&
        alignof(Function) <= alignof(void*) && std::is_nothrow_move_constructible_v<Function>;

    template <class Function>
    static void call_it(const void* held, const reply& answer) {
        (*std::launder(static_cast<const Function*>(held)))(answer);
    }
    template <class Function>
    static void move_it(void* from, void* to) noexcept {
        ::new (to) Function(std::move(*std::launder(static_cast<Function*>(from))));
        destroy_it<Function>(from);
    }
    template <class Function>
    static void destroy_it(void* held) noexcept {
        std::launder(static_cast<Function*>(held))->~Function();
    }
    template <class Function>
    static constexpr bool is_bytes = std::is_trivially_copyable_v<Function>;
    template <class Function>
    static constexpr manner manner_of{&call_it<Function>,
                                      is_bytes<Function> ? nullptr : &move_it<Function>,
                                      is_bytes<Function> ? nullptr : &destroy_it<Function>};

    template <class Function>
    void put(Function function) {
        static_assert(fits<Function>);
        ::new (static_cast<void*>(room_.data())) Function(std::move(function));
        how_ = &manner_of<Function>;
    }
    void take(reply_handler& other) noexcept {
        how_ = std::exchange(other.how_, nullptr);
        if (how_ && how_->move)
            how_->move(other.room_.data(), room_.data());
        else if (how_)
            room_ = other.room_;
    }
    void reset() noexcept {
        if (const auto how = std::exchange(how_, nullptr); how && how->destroy)
            how->destroy(room_.data());
    }

    alignas(void*) bytes room_; // NOLINT: nothing is there while `how_` is null
    const manner* how_ = nullptr;
};

} // namespace turnstile::protocol
