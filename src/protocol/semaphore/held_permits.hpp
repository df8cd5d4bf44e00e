// SPDX-License-Identifier: BSL-1.0
// The permits that a session holds, and those whose loss was reported.
#pragma once

#include "protocol/hold_limit.hpp"
#include "protocol/semaphore/pending_permits.hpp"
#include "protocol/semaphore/permit_acquires.hpp"
#include "protocol/session_context.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::protocol {

class semaphore;

/// The permits of one acquire are held, lost and deleted together. They are known by the number of
/// the attempt that made them, whichever of their handles goes first.
class held_permits {
public:
    held_permits(semaphore& owner, session_context& shared, pending_permits& leaving)
        : owner_(owner), context_(shared), leaving_(leaving) {}

    bool empty() const { return holdings_.empty(); }
    /// How many permits are held.
    std::uint64_t count() const;
    bool contains(const std::string& node) { return owner_of(node) != holdings_.end(); }
    /// Those of a handle.
    std::vector<std::string> nodes_of(ticket_id handle);
    std::vector<transaction_step> proof_of(ticket_id handle);
    /// How many handles there are on a permit.
    std::size_t sharers_of(const std::string& node);

    /// What it has made.
    void add(permit_acquire& granted);
    void share(ticket_id holder, ticket_id further);
    /// Whether they were held or lost by this handle.
    bool release(ticket_id handle);
    /// Reports the loss by deadline or limit. The permits keep their place for the margin.
    void lose(ticket_id handle, failure why);
    /// A permit turned out to be deleted by a foreign client. Whether it was one of these.
    bool on_missing(const std::string& node);
    void on_watch(const std::string& node, watch_event event);

    void on_connected();
    void on_disconnected();
    /// The session is closed, or over. The nodes go with it.
    void end_all(failure why);

private:
    struct holding {
        explicit holding(timers& clock) : next(clock) {}

        std::vector<ticket_id> handles{};
        std::vector<std::string> nodes{};
        std::size_t cost = 0; // bytes taken from the budget
        /// Reported; the permits stay for the margin, or until the last release.
        bool is_lost() const { return why_lost != failure::none; }
        failure why_lost = failure::none;
        timer next; // while held: its watches are asked for; then: the end of its place
        std::unique_ptr<hold_limit> limit{};
    };
    using table = std::map<std::uint64_t, holding>;

    table::iterator find(ticket_id handle);
    table::iterator owner_of(const std::string& node);
    void watch_later(table::iterator which, duration delay);
    void watch(table::iterator which);
    /// Deletes the permits; `release` hears their end, unless it is 0.
    void drop(table::iterator which, ticket_id release);
    std::vector<ticket_id> erase(table::iterator which);
    void report_lost(const std::vector<ticket_id>& handles, failure why);

    semaphore& owner_;
    session_context& context_;
    pending_permits& leaving_;
    table holdings_;
};

} // namespace turnstile::protocol
