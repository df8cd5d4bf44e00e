// SPDX-License-Identifier: BSL-1.0
// The semaphores that a session uses, by lock path.
#pragma once

#include "protocol/lock_registry.hpp"
#include "protocol/queue/queue_registry.hpp"
#include "protocol/semaphore/semaphore.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace turnstile::protocol {

/// The `lock_kind` of semaphores. lock_kinds owns it. The semaphores' tickets stand in lock_queues,
/// which `queues` has.
class semaphore_registry final : public lock_registry<semaphore> {
public:
    semaphore_registry(session_context& shared, queue_registry& queues)
        : lock_registry(shared), family_{.owners = owners_, .queues = queues} {}

    bool occupies(const acquire_request& what) const override;
    void acquire(ticket_id id, const acquire_request& what, std::optional<instant> end) override;
    /// The key is that of the semaphore's nodes. If they are missing, and a limit is stated, they
    /// are made.
    bool look_up(watcher_id id, const acquire_request& what, std::optional<instant> end) override;
    std::size_t sharers_of(const std::string& path, const std::string& node) const override;

private:
    semaphore::family family_; // what all semaphores of the session share
};

} // namespace turnstile::protocol
