// What waits for the end of a turn of a session's strand, and runs once the strand is left.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace turnstile::zookeeper {

/// Each function that a session's strand executes is one turn. The handler of an operation that
/// ends in a turn, alone, need not go through the queue of the context: it runs when the turn ends.
/// That saves a look at the reactor, which is a system call. It does not run on the strand, so it
/// keeps no session from its work.
class after_turn {
public:
    class task {
    public:
        task() = default;
        task(const task&) = delete;
        task& operator=(const task&) = delete;
        virtual ~task() = default;
        virtual void run() = 0;
        /// To be run later, by an executor whose execute() is a post.
        virtual void post(const boost::asio::any_io_executor& by) = 0;
    };

    /// Of the strand with this number. `posting` posts.
    after_turn(std::uint64_t strand, const boost::asio::any_io_executor& posting) noexcept
        : strand_(strand), posting_(posting), outer_(std::exchange(current_, this)) {}
    after_turn(const after_turn&) = delete;
    after_turn& operator=(const after_turn&) = delete;
    /// The turn may have thrown, and its task is left. Where that is destroyed, what it owns may
    /// call the session: as from within the turn.
    ~after_turn() {
        try {
            post_held();
        } catch (...) { // there is no memory: the task is destroyed
        }
        leave();
    }

    /// The strand is left, and the task still waits.
    void leave() noexcept {
        if (current_ == this)
            current_ = outer_;
    }

    /// Whether this thread is in this strand, perhaps with turns of others within.
    static bool is_within(std::uint64_t strand) noexcept {
        for (const auto* each = current_; each; each = each->outer_)
            if (each->strand_ == strand)
                return true;
        return false;
    }
    static bool is_within_any() noexcept { return current_ != nullptr; }
    /// The turn of this strand under way in this thread; null where there is none.
    static after_turn* of(std::uint64_t strand) noexcept {
        return current_ && current_->strand_ == strand ? current_ : nullptr;
    }

    /// The one task; none is held yet.
    template <class Task, class... Args>
    void hold(Args&&... args) {
        static_assert(sizeof(Task) <= sizeof(room_) && alignof(Task) <= alignof(std::max_align_t));
        held_ = ::new (static_cast<void*>(room_)) Task(std::forward<Args>(args)...);
    }
    /// Somebody else comes after it, and through the queue.
    void post_held() {
        if (const held_task next{std::exchange(held_, nullptr)}; next.what)
            next.what->post(posting_);
    }
    /// Leaves the strand, and runs the task. Passes on what the task throws.
    void run() {
        leave();
        if (const held_task next{std::exchange(held_, nullptr)}; next.what)
            next.what->run();
    }

private:
    struct held_task {
        task* const what;

        ~held_task() {
            if (what)
                what->~task();
        }
    };

    static inline thread_local after_turn* current_ = nullptr;

    const std::uint64_t strand_;
    const boost::asio::any_io_executor& posting_;
    after_turn* const outer_;
    task* held_ = nullptr;
    alignas(std::max_align_t) std::byte room_[192]; // no task has to be allocated
};

} // namespace turnstile::zookeeper
