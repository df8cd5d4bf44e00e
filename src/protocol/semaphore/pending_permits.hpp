// SPDX-License-Identifier: BSL-1.0
// The leases of a session at one semaphore that are leaving, and those that may not leave.
#pragma once

#include "protocol/session_context.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// A lease is deleted by its name, which is never used twice. So a deletion of unknown outcome is
/// sent again. What may not be deleted stands until the session ends, or until somebody gives the
/// permission: it is tried once more before new leases are made. Its bytes are taken meanwhile: the
/// server has to name it when the session closes.
class pending_permits {
public:
    using send_handler = std::function<void(const request&, reply_handler)>;

    /// `gone` hears when leases are gone, or may not go.
    pending_permits(session_context& shared, const std::string& folder, send_handler send,
                    std::function<void()> gone)
        : context_(shared),
          folder_(folder),
          send_(std::move(send)),
          gone_(std::move(gone)),
          again_(shared.clock) {}

    /// The leases of one acquire; `release` is told their end, unless it is 0. One transaction
    /// where there are several; each by itself where that fails.
    void add(const std::vector<std::string>& names, ticket_id release);
    /// Found by a listing, and nobody's: perhaps deleted before.
    void add_strays(const std::vector<std::string>& names);
    /// Sends what was not sent on this connection.
    void flush();
    /// Those that may not be deleted are tried once more.
    void retry();

    /// Whether a lease is leaving, or may not leave.
    bool contains(const std::string& name) const {
        return leaving_.contains(name) || denied_.contains(name);
    }
    bool empty() const { return leaving_.empty(); }
    /// Some may not be deleted.
    bool denied() const { return !denied_.empty(); }
    /// Some of those were sent again; the answers to all decide together.
    bool retrying() const { return retrying_ > 0; }

    /// Tells all releases that are waited for, and keeps the leases.
    void stop_waiting(failure why);
    /// The leases go with the session.
    void on_expired(failure releases);

private:
    struct entry {
        ticket_id release = 0;   // it belongs to
        std::uint64_t batch = 0; // deleted together with those of the same number; 0: by itself
        bool sent = false;
        bool tried = false;  // its deletion was sent, and may have been carried out
        bool denied = false; // once already
    };
    using entries = std::map<std::string, entry>;

    std::string path_of(const std::string& name) const { return folder_ + '/' + name; }
    std::size_t cost_of(const std::string& name) const;
    void send(const std::vector<std::string>& names);
    void flush_later();
    void on_all_removed(const std::vector<std::string>& names, const reply& answer);
    void on_removed(entries::iterator which, const reply& answer);
    void finish(entries::iterator which, failure why, zookeeper_code code);
    void settle(entries::iterator which, failure why, zookeeper_code code);

    session_context& context_;
    const std::string& folder_;
    send_handler send_;
    std::function<void()> gone_;
    timer again_; // for what a server with too much to do sent back
    std::uint64_t batches_ = 0;
    entries leaving_;
    std::set<std::string> denied_;
    std::size_t retrying_ = 0;
    std::map<ticket_id, std::size_t> releases_; // that are waited for: leases that still stand
    std::map<ticket_id, std::pair<failure, zookeeper_code>> refusals_; // of those releases
};

} // namespace turnstile::protocol
