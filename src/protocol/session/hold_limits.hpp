// SPDX-License-Identifier: BSL-1.0
// How long locks may be held, where their acquires say so.
#pragma once

#include "protocol/listener.hpp"
#include "protocol/time/timers.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::protocol {

struct session_context;

/// Stands between the kinds of lock and the listener, so that no kind knows of limits. At the end
/// of its limit a lock is reported as lost. For its kind it goes on being held for a margin, which
/// is its holder's to stop, and is then released. What the kind says of it meanwhile is not passed
/// on, not even that a foreign client has deleted the ticket. An acquire without a limit costs a
/// look into an empty table.
class hold_limits final : public listener {
public:
    /// Has the ticket's kind release it; false where no kind knows it.
    using release_handler = std::function<bool(ticket_id)>;

    /// `shared` may be made later.
    hold_limits(listener& events, const session_context& shared, release_handler release)
        : events_(events), context_(shared), release_(std::move(release)) {}

    /// An acquire is to be held for so long at most.
    void add(ticket_id id, duration limit);
    /// A further handle on what `holder` holds: it ends with it.
    void share(ticket_id holder, ticket_id further);
    /// The holder lets go. Whether it was reported as lost here: then all is done and answered.
    bool release(ticket_id id);
    /// Reported as lost here. For its kind it is still held.
    bool has_lost(ticket_id id) const {
        const auto found = by_handle_.find(id);
        return found != by_handle_.end() && found->second->was_lost;
    }
    /// Before each input: the losses that are due.
    void check() { run_due(losses_); }
    /// The releases that are due.
    void on_time() { run_due(releases_); }
    std::optional<instant> next() const;

private:
    struct hold {
        hold(duration the_limit, timers& losses, timers& releases)
            : limit(the_limit), loss(losses), end(releases) {}

        const duration limit;
        std::vector<ticket_id> handles{};
        timer loss;            // while held: its warning, then its loss
        timer end;             // once it is lost: its release
        bool was_lost = false; // reported
    };

    void run_due(timers& which);
    void lose(hold& which);
    void let_go(ticket_id id);
    /// Not limited any more. Whether its loss was reported.
    bool forget(ticket_id id);

    void on_granted(ticket_id ticket, std::int64_t czxid) override;
    void on_acquire_failed(ticket_id ticket, failure why, zookeeper_code code) override;
    void on_lost(ticket_id ticket, failure why) override;
    void on_released(ticket_id ticket, failure why, zookeeper_code code) override;

    // Passed on as they are.
    void on_phase(session_phase phase) override { events_.on_phase(phase); }
    void on_connect_result(failure why) override { events_.on_connect_result(why); }
    void on_closed() override { events_.on_closed(); }
    void on_queued(ticket_id id, std::int32_t ahead) override { events_.on_queued(id, ahead); }
    void on_moved_up(ticket_id id, std::int32_t ahead) override { events_.on_moved_up(id, ahead); }
    void on_downgraded(ticket_id id, failure why, zookeeper_code code) override {
        events_.on_downgraded(id, why, code);
    }
    void on_upgraded(ticket_id id, failure why, zookeeper_code code, std::int64_t czxid) override {
        events_.on_upgraded(id, why, code, czxid);
    }
    void on_answer(inquiry_id id, const reply& answer) override { events_.on_answer(id, answer); }
    void on_inquiry_failed(inquiry_id id, failure why) override {
        events_.on_inquiry_failed(id, why);
    }
    void on_looked_up(inquiry_id id, failure why, zookeeper_code code,
                      const lock_key& key) override {
        events_.on_looked_up(id, why, code, key);
    }
    void on_deadline(const lease_instants& in_force) override { events_.on_deadline(in_force); }
    void on_risk(bool at_risk) override { events_.on_risk(at_risk); }
    void on_missed_event(const std::string& node) override { events_.on_missed_event(node); }
    void on_note(note_level level, std::string_view text) override { events_.on_note(level, text); }

    listener& events_;
    const session_context& context_;
    const release_handler release_;
    timers losses_;
    timers releases_;
    std::map<ticket_id, std::shared_ptr<hold>> by_handle_;
    std::set<ticket_id> leaving_; // released after their loss; the answer is of no interest
};

} // namespace turnstile::protocol
