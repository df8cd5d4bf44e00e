// SPDX-License-Identifier: BSL-1.0
// All locks that a session uses, by kind.
#pragma once

#include "protocol/queue/queue_registry.hpp"
#include "protocol/queue/ticket_batch.hpp"
#include "protocol/semaphore/semaphore_registry.hpp"
#include "protocol/single_node/single_node_registry.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// Owns the registry of each kind, and finds the kind that an acquire or a handle belongs to.
/// session_machine owns it. A new kind is one more member here, and one more case in of().
class lock_kinds {
public:
    explicit lock_kinds(session_context& shared)
        : context_(shared), queues_(shared), nodes_(shared), semaphores_(shared, queues_) {}
    lock_kinds(const lock_kinds&) = delete;
    lock_kinds& operator=(const lock_kinds&) = delete;

    // All kinds, for a loop.
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    /// The kind of lock that this acquire asks for.
    lock_kind& of(const acquire_request& what) const;
    /// The kind that knows this acquire or handle, or null.
    lock_kind* find(ticket_id id) const;
    queue_registry& queues() { return queues_; }
    const queue_registry& queues() const { return queues_; }

    // As in lock_kind, for a handle of any kind.
    std::vector<std::string> nodes_of(ticket_id handle) const;
    std::vector<transaction_step> proof_of(ticket_id caller) const;
    /// Why the acquire may not have its kind of lock at its path, or `none`.
    failure misplaced(const acquire_request& what) const;
    /// How many handles share this node below the path; 0: it is no node of this session.
    std::size_t sharers_of(const std::string& path, const std::string& node) const;
    bool empty() const;

    /// A batch of acquires that one transaction makes.
    ticket_batch make_batch() { return {context_, queues_}; }
    /// The lease ends: the lock with this id in session_context::held is lost.
    void lose(ticket_id id);
    /// A beat or a guarded write has found that the node of a lock is gone.
    void on_missing(const std::string& node);
    /// Whether the session has tickets only, and all of them wait far from the front.
    bool all_are_far() const {
        return nodes_.empty() && semaphores_.empty() && queues_.all_are_far();
    }

private:
    session_context& context_;
    queue_registry queues_;
    single_node_registry nodes_;
    semaphore_registry semaphores_;
    std::array<lock_kind*, 3> all_{&queues_, &nodes_, &semaphores_}; // of() relies on the order
};

} // namespace turnstile::protocol
