// SPDX-License-Identifier: BSL-1.0
// The permits of one semaphore that a session holds, or has lost.
#pragma once

#include "protocol/hold.hpp"
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

/// Grants permits, watches their nodes, and ends their holds. The semaphore owns this object, and
/// brings it grants, events and connections.
///
/// The permits of one acquire are held, lost and deleted together, as one holding. It is known by
/// the number of the attempt that made the permits, since any of its handles may be released first.
/// A lost holding stays here until its nodes are deleted, in which time the holder has to stop.
class held_permits {
public:
    held_permits(semaphore& owner, session_context& shared, pending_permits& leaving)
        : owner_(owner), context_(shared), leaving_(leaving) {}

    bool empty() const { return holdings_.empty(); }
    /// How many permits are held, without the lost ones.
    std::uint64_t count() const;
    bool contains(const std::string& node) { return owner_of(node) != holdings_.end(); }
    /// The nodes of the permits that this handle holds.
    std::vector<std::string> nodes_of(ticket_id handle);
    /// The checks that succeed only while this handle's permits are held.
    std::vector<transaction_step> proof_of(ticket_id handle);
    /// How many handles share the permit with this node.
    std::size_t sharers_of(const std::string& node);

    /// Grants the permits that the acquire has made.
    void grant(permit_acquire& who);
    /// Adds a handle to the permits of `holder`.
    void share(ticket_id holder, ticket_id further);
    /// The handle lets go. The last one of a holding deletes the permits. False: the handle neither
    /// holds permits nor has lost any.
    bool release(ticket_id handle);
    /// Reports the loss by deadline or limit. The permits keep their place for a while
    /// (hold::lose).
    void lose(ticket_id handle, failure why);
    /// Another program has deleted a permit: the others of its acquire are deleted, too. False: it
    /// is no node of these permits.
    bool on_missing(const std::string& node);
    /// A watched permit has changed, or is gone.
    void on_watch(const std::string& node, watch_event event);

    /// Watches the nodes again, after a random delay.
    void on_connected();
    void on_disconnected();
    /// The session ends, and the nodes with it: reports the loss of all permits.
    void end_all(failure why);

private:
    struct holding {
        explicit holding(session_context& shared) : next_watch(shared.clock) {}

        std::vector<ticket_id> handles{}; // session_context::held has the first
        std::vector<std::string> nodes{}; // paths of the permits
        claim bytes{};                    // their share of the session's budget
        std::unique_ptr<hold> lock{};
        timer next_watch; // sets the watches on the nodes
    };
    using holdings = std::map<std::uint64_t, holding>; // by the number of the attempt

    /// The holding that has this handle, or holdings_.end().
    holdings::iterator find(ticket_id handle);
    /// The holding that has this node, or holdings_.end().
    holdings::iterator owner_of(const std::string& node);
    void watch_later(holdings::iterator which, duration delay);
    /// Reads the nodes with a watch. A node that is missing ends the holding.
    void watch(holdings::iterator which);
    /// Deletes the nodes. `release`: the release that waits for their end; 0: none.
    void delete_nodes(holdings::iterator which, ticket_id release);
    /// Forgets the holding. Returns its handles.
    std::vector<ticket_id> erase(holdings::iterator which);
    void report_lost(const std::vector<ticket_id>& handles, failure why);

    semaphore& owner_;
    session_context& context_;
    pending_permits& leaving_; // deletes the nodes
    holdings holdings_;
};

} // namespace turnstile::protocol
