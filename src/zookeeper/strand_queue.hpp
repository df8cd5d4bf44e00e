// What waits for a strand, without memory besides the functions.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace turnstile::zookeeper {

/// The first in is the first out. Nothing here fails. The owner has a lock.
class strand_queue {
public:
    class item {
    public:
        item() = default;
        item(const item&) = delete;
        item& operator=(const item&) = delete;
        virtual ~item() = default;
        virtual void run() = 0;

    private:
        friend class strand_queue;
        std::unique_ptr<item> next_;
    };

    strand_queue() = default;
    strand_queue(const strand_queue&) = delete;
    strand_queue& operator=(const strand_queue&) = delete;
    /// One by one: each owns the next, and a long queue would be a deep recursion.
    ~strand_queue() {
        while (!empty())
            pop();
    }

    bool empty() const noexcept { return !first_; }
    std::size_t size() const noexcept { return size_; }

    void push(std::unique_ptr<item> next) noexcept {
        auto& place = last_ ? last_->next_ : first_;
        place = std::move(next);
        last_ = place.get();
        ++size_;
    }
    /// It is not empty.
    std::unique_ptr<item> pop() noexcept { return take(first_, nullptr); }
    /// It is in the queue.
    std::unique_ptr<item> remove(const item* which) noexcept {
        item* before = nullptr;
        auto* place = &first_;
        while (place->get() != which) {
            before = place->get();
            place = &before->next_;
        }
        return take(*place, before);
    }
    void swap(strand_queue& other) noexcept {
        first_.swap(other.first_);
        std::swap(last_, other.last_);
        std::swap(size_, other.size_);
    }

private:
    std::unique_ptr<item> take(std::unique_ptr<item>& place, item* before) noexcept {
        auto taken = std::move(place);
        place = std::move(taken->next_);
        if (last_ == taken.get())
            last_ = before;
        --size_;
        return taken;
    }

    std::unique_ptr<item> first_;
    item* last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace turnstile::zookeeper
