// SPDX-License-Identifier: BSL-1.0
// The permits of a session at one semaphore that are being deleted, or that may not be deleted.
#pragma once

#include "protocol/session_context.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace turnstile::protocol {

class semaphore;

/// Deletes permits in batches. The permits of one acquire are one batch. If its deletion fails,
/// each of them becomes a batch of its own. The semaphore owns this object. It and its held_permits
/// add the permits.
///
/// A permit is deleted by its name, which is never used twice. So a deletion of unknown outcome is
/// sent again. A permit for which DELETE is denied stands until an operator gives the right, or the
/// session ends. Its bytes are taken meanwhile: the server has to name it when the session closes.
class pending_permits {
public:
    pending_permits(semaphore& owner, session_context& shared)
        : owner_(owner), context_(shared), again_(shared.clock) {}

    /// Deletes the permits of one acquire in one transaction. `release`: the release that waits for
    /// their end; 0: none.
    void add(std::vector<std::string> nodes, ticket_id release);
    /// Deletes permits that a listing has shown, and that have no owner.
    void add_strays(const std::vector<std::string>& nodes);
    /// Sends the deletions that were not sent on this connection.
    void flush();
    /// With each beat: tries to delete one of the denied permits. If that succeeds, tries all.
    void retry_denied();

    /// Whether the permit is being deleted, or may not be.
    bool contains(const std::string& node) const;
    bool empty() const { return leaving_.empty(); }
    /// Whether there are permits for which DELETE is denied.
    bool denied() const { return !denied_.empty(); }

    /// Fails all releases that wait. The deletions go on.
    void stop_waiting(failure why);
    /// The session is over, and its permits are gone. `releases`: the result of the releases.
    void on_expired(failure releases);

private:
    struct batch {
        std::vector<std::string> nodes;
        ticket_id release = 0; // the release that waits for their end; 0: none
        bool tried = false;    // a deletion was sent before, and may have been carried out
        bool denied = false;   // DELETE was denied before, and that was reported
        bool sent = false;     // the deletion was sent on this connection
    };
    using batches = std::map<std::uint64_t, batch>; // by number
    struct waiting_release {
        std::size_t standing = 0; // permits whose deletion has not ended
        // The release's result: of the last permit that could not be deleted.
        failure why = failure::none;
        zookeeper_code code = zookeeper_code::ok;
    };

    /// Tries again to delete a denied permit.
    void retry(const std::string& node);
    /// Begins the deletion of a new batch.
    void send(batch what);
    /// Sends the deletion of a batch, if there is a connection.
    void send(batches::iterator which);
    void on_answer(batches::iterator which, const reply& answer);
    /// The deletion of the batch has ended: its nodes are gone, or DELETE is denied. Reports that
    /// to the release.
    void end(batches::iterator which, failure why, zookeeper_code code);

    semaphore& owner_;
    session_context& context_;
    timer again_;                  // sends again after a server had too much to do
    std::uint64_t last_batch_ = 0; // the number of the last batch
    batches leaving_;
    std::map<std::string, claim> denied_; // by node: the bytes of a denied permit
    std::map<ticket_id, waiting_release> releases_;
};

} // namespace turnstile::protocol
