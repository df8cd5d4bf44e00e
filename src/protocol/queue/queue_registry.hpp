// The queues of a session, by lock path.
#pragma once

#include "protocol/queue/lock_queue.hpp"
#include "protocol/queue/machine_context.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace turnstile::protocol {

/// An idle queue keeps its path's incarnation, which saves a round trip. A queue that two reviews
/// in a row found idle, with no acquire in between, is forgotten, and its lock path deleted if this
/// session made it and nobody stands there: the server would do so by itself, but slower than names
/// may come.
class queue_registry {
public:
    explicit queue_registry(machine_context& shared) : context_(shared), review_(shared.clock) {}

    /// Made at the first call, for good: a later one may ask for another naming in vain.
    lock_queue& at(const std::string& path, lock_queue::purpose why = lock_queue::purpose::lock,
                   ticket_naming naming = ticket_naming::lock);
    /// Null where there is none.
    lock_queue* find(const std::string& path) {
        const auto found = queues_.find(path);
        return found == queues_.end() ? nullptr : found->second.get();
    }
    const lock_queue* find(const std::string& path) const {
        const auto found = queues_.find(path);
        return found == queues_.end() ? nullptr : found->second.get();
    }
    std::size_t size() const { return queues_.size(); }

    /// A lock path below or above another would be a child that is no contender: it would make
    /// every search of the upper one a listing. A queue that is a part of a lock is asked for
    /// there.
    bool is_nested(const std::string& path) const;

    template <class Action>
    void for_each(Action action) const {
        for (const auto& [path, entry] : queues_)
            action(*entry);
    }

    /// A path where something of this session is, or is leaving.
    std::optional<std::string> busy_path() const;

    /// Lets waiters for the budget in where bytes of the budget were freed.
    void admit();
    /// The session is closing: nothing more is asked.
    void stop();

    /// For how long a queue rests between two reviews.
    duration rest() const;

private:
    // Each queue has one, in the order of their instants.
    struct idle_review {
        instant when;
        std::string path;
        std::optional<std::uint64_t> uses{}; // it was idle then, after so many acquires
    };

    void arm();
    void review();
    void retire(const std::string& path, lock_queue& idle);

    machine_context& context_;
    std::map<std::string, std::unique_ptr<lock_queue>> queues_;
    std::deque<idle_review> idle_reviews_;
    std::size_t retiring_ = 0; // requests that ask for the end of a path
    timer review_;
    bool stopped_ = false;
};

} // namespace turnstile::protocol
