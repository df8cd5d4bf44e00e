// What waits for the end of a turn of a session's strand, and runs once the strand is left.
#pragma once

#include "protocol/memory/kept_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace turnstile::zookeeper {

/// The block that the last task of a thread left: in most turns it is the only one.
class kept_block {
public:
    kept_block() = default;
    kept_block(const kept_block&) = delete;
    kept_block& operator=(const kept_block&) = delete;
    ~kept_block() { ::operator delete(block_); }

    void* take(std::size_t size) {
        if (size <= block_size && block_)
            return std::exchange(block_, nullptr);
        return ::operator new(std::max(size, block_size));
    }
    void give_back(void* left, std::size_t size) noexcept {
        if (!protocol::keeps_memory || size > block_size || block_)
            return ::operator delete(left);
        block_ = left;
    }

private:
    static constexpr std::size_t block_size = 192; // of an acquire's completion, and some more

    void* block_ = nullptr;
};

/// Handlers that an event of the reactor completes need no way through the queue of the context: at
/// the end of the turn they run one after the other, where a post would have run them later. That
/// saves a look at the reactor for each, a system call. They do not run on the strand, so they keep
/// no session from its work.
class after_turn {
public:
    class task {
    public:
        virtual ~task() = default;
        virtual void run() = 0;
        /// To be run later. Where there is no memory for that, it is destroyed.
        virtual void post() noexcept = 0;

        static void* operator new(std::size_t size) { return kept_.take(size); }
        static void operator delete(void* left, std::size_t size) noexcept {
            kept_.give_back(left, size);
        }

    private:
        friend class after_turn;
        std::unique_ptr<task> next_;
    };

    /// Of the strand with this number.
    explicit after_turn(std::uint64_t strand) noexcept
        : strand_(strand), outer_(std::exchange(current_, this)) {}
    after_turn(const after_turn&) = delete;
    after_turn& operator=(const after_turn&) = delete;
    /// After an exception there are tasks left.
    ~after_turn() {
        leave();
        while (auto next = take())
            next->post();
    }

    /// The turn of this strand under way in this thread; null where there is none.
    static after_turn* of(std::uint64_t strand) noexcept {
        return current_ && current_->strand_ == strand ? current_ : nullptr;
    }

    void add(std::unique_ptr<task> added) noexcept {
        auto& end = last_ ? last_->next_ : first_;
        last_ = added.get();
        end = std::move(added);
    }
    /// The strand is left. Passes on what a task throws.
    void run() {
        leave();
        while (auto next = take())
            next->run();
    }

private:
    void leave() noexcept {
        if (current_ == this)
            current_ = outer_;
    }
    std::unique_ptr<task> take() noexcept {
        auto next = std::move(first_);
        if (next)
            first_ = std::move(next->next_);
        return next;
    }

    static inline thread_local after_turn* current_ = nullptr;
    static inline thread_local kept_block kept_;

    const std::uint64_t strand_;
    after_turn* const outer_;
    std::unique_ptr<task> first_;
    task* last_ = nullptr;
};

} // namespace turnstile::zookeeper
