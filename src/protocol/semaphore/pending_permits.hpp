// SPDX-License-Identifier: BSL-1.0
// The permits of a session at one semaphore that are leaving, and those that may not leave.
#pragma once

#include "protocol/session_context.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace turnstile::protocol {

class semaphore;

/// A permit is deleted by its name, which is never used twice. So a deletion of unknown outcome is
/// sent again. One that may not be deleted stands until an operator gives the right, or the session
/// ends. Its bytes are taken meanwhile: the server has to name it when the session closes.
class pending_permits {
public:
    pending_permits(semaphore& owner, session_context& shared)
        : owner_(owner), context_(shared), again_(shared.clock) {}

    /// The permits of one acquire; `release` hears their end, unless it is 0. One transaction
    /// where there are several; each by itself where that fails.
    void add(std::vector<std::string> nodes, ticket_id release);
    /// Found by a listing, without an owner: perhaps deleted before.
    void add_strays(const std::vector<std::string>& nodes);
    /// Sends what was not sent on this connection.
    void flush();
    /// With each beat: one of those that may not be deleted says whether the right is back.
    void retry_denied();

    /// Whether a permit is leaving, or may not leave.
    bool contains(const std::string& node) const;
    bool empty() const { return leaving_.empty(); }
    /// Some may not be deleted.
    bool denied() const { return !denied_.empty(); }

    /// Ends all releases that are waited for, and keeps the permits.
    void stop_waiting(failure why);
    /// The permits go with the session.
    void on_expired(failure releases);

private:
    struct batch {
        std::vector<std::string> nodes;
        ticket_id release = 0; // they belong to
        bool tried = false;    // the deletion was sent, and may have been carried out
        bool denied = false;   // once already
        bool sent = false;
    };
    using batches = std::map<std::uint64_t, batch>;
    struct waiting_release {
        std::size_t left = 0; // permits that still stand
        failure why = failure::none;
        zookeeper_code code = zookeeper_code::ok;
    };

    std::size_t cost_of(const std::string& node) const {
        return ticket_cost(context_.options.chroot_bytes + node.size());
    }
    void retry(const std::string& node);
    void send(batch what);
    void send(batches::iterator which);
    void on_answer(batches::iterator which, const reply& answer);
    void end(batches::iterator which, failure why, zookeeper_code code);

    semaphore& owner_;
    session_context& context_;
    timer again_; // for what a server with too much to do sent back
    std::uint64_t batches_ = 0;
    batches leaving_;
    std::set<std::string> denied_;
    std::map<ticket_id, waiting_release> releases_; // that are waited for
};

} // namespace turnstile::protocol
