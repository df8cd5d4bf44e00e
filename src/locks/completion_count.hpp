// How many handlers of a session are on their way.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace turnstile::detail {

/// Completions that are on their way to their handlers.
class completion_count {
public:
    /// One of them, until its handler begins or is destroyed.
    class entry {
    public:
        explicit entry(std::shared_ptr<std::atomic<std::size_t>> in) noexcept : in_(std::move(in)) {
            if (in_)
                ++*in_;
        }
        entry(entry&&) noexcept = default;
        entry& operator=(entry&&) = delete;
        ~entry() { end(); }
        void end() noexcept {
            if (const auto in = std::exchange(in_, nullptr))
                --*in;
        }

    private:
        std::shared_ptr<std::atomic<std::size_t>> in_;
    };

    entry add() const noexcept { return entry(count_); }
    bool none() const noexcept { return !count_ || *count_ == 0; }
    void begin() { count_ = std::make_shared<std::atomic<std::size_t>>(0); }

private:
    std::shared_ptr<std::atomic<std::size_t>> count_; // null: they are not counted
};

} // namespace turnstile::detail
