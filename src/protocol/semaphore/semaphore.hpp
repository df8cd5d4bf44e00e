// SPDX-License-Identifier: BSL-1.0
// A semaphore: the acquires of one session for permits of one lock path.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/queue/queue_registry.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/semaphore/held_permits.hpp"
#include "protocol/semaphore/limit_node.hpp"
#include "protocol/semaphore/pending_permits.hpp"
#include "protocol/semaphore/permit_acquires.hpp"
#include "protocol/semaphore/permit_listing.hpp"
#include "protocol/session_context.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// At most `limit` permits over all sessions. Where the queue is empty and enough are free, one
/// transaction takes them. Else the acquire stands in the queue of the semaphore with a ticket, as
/// in that of a mutex. The first in line looks at the permits, and takes its own in the transaction
/// that ends its ticket. This class admits acquires; its parts are the limit's node, the listing of
/// permits, and the permits that are held or leaving.
class semaphore final : public line_taker {
public:
    /// What the semaphores of a session share.
    struct family {
        std::unordered_map<ticket_id, semaphore*>& owners; // by acquire, or by handle
        queue_registry& queues;
        std::uint64_t attempts = 0; // numbered over the whole session
        ticket_id places = 0;       // the same of tickets in the queues
    };

    /// Of all semaphores: above all ids of tickets and inquiries.
    static constexpr watcher_id watcher = watcher_id{1} << 63;

    semaphore(session_context& shared, std::string path, family& all);
    ~semaphore() override = default;
    semaphore(const semaphore&) = delete;
    semaphore& operator=(const semaphore&) = delete;

    /// How often it was used, where nothing goes on.
    std::optional<std::uint64_t> resting() const {
        const bool rests = acquires_.empty() && held_.empty() && leaving_.empty() &&
                           !leaving_.denied() && listing_.is_resting() && limit_.is_resting() &&
                           open_ == 0;
        return rests ? std::optional{uses_} : std::nullopt;
    }

    /// `only_looked`: it wants to know the key, and no permit.
    void enter(ticket_id id, const acquire_request& wish, std::optional<instant> end,
               bool only_looked);
    void cancel(ticket_id id, failure why, zookeeper_code code = zookeeper_code::ok);
    std::vector<std::string> nodes_of(ticket_id handle) { return held_.nodes_of(handle); }
    std::vector<transaction_step> proof_of(ticket_id handle) { return held_.proof_of(handle); }
    std::size_t sharers_of(const std::string& node) { return held_.sharers_of(node); }
    void share(ticket_id holder, ticket_id further) { held_.share(holder, further); }
    void lose(ticket_id handle, failure why) { held_.lose(handle, why); }
    bool on_missing(const std::string& node) { return held_.on_missing(node); }
    /// Whether it is held by this handle, or was lost by it.
    bool release(ticket_id handle);

    void abandon_all();
    void on_connected();
    void on_disconnected();
    void retry_denied() { leaving_.retry_denied(); }
    void stop_waiting_for_releases() { leaving_.stop_waiting(failure::unreachable); }
    void on_expired(failure releases);
    void on_watch(const std::string& node, watch_event event);
    /// What is watched may have changed, and its event may be lost.
    void read_again() {
        limit_.read_again();
        listing_.look_again();
    }

    void on_queued(ticket_id place, std::int32_t ahead) override {
        if (const auto who = acquires_.at(place))
            context_.events.on_queued(who->id, ahead);
    }
    void on_first(ticket_id place) override;
    void on_place_lost(ticket_id place) override;
    void on_line_failed(ticket_id place, failure why, zookeeper_code code) override;

    /// Those that wait and have no ticket, with the instant of their start.
    template <class Action>
    void for_each_waiting(Action action) const {
        for (auto each = acquires_.front(); each; each = acquires_.after(each->id))
            if (!each->abandoned && !each->stands_in_line())
                action(each->id, each->started);
    }

    // What its parts ask for.
    const std::string& path() const { return path_; }
    const std::string& limit_path() const { return limit_path_; }
    const std::string& node_to_check() const { return limit_path_; }
    const std::string& queue_path() const { return queue_path_; }
    const std::string& permits_path() const { return permits_path_; }
    std::string permit_path(const std::string& name) const { return permits_path_ + '/' + name; }
    void send(const request& what, reply_handler done);
    /// Not answered where the connection goes first.
    void ask(const request& what, reply_handler done);
    /// The server has too much to do: all that is open is asked for again, a while later.
    void go_on_later();
    void start_all();
    void add_handle(ticket_id handle) { family_.owners.emplace(handle, this); }
    void remove_handle(ticket_id handle) { family_.owners.erase(handle); }
    const permit_acquires& acquires() const { return acquires_; }
    limit_node& limit() { return limit_; }
    /// Whether a permit is held, leaving, or of an attempt that is open or confirmed.
    bool owns(const permit_name& name, const std::string& node) {
        return leaving_.contains(node) || held_.contains(node) || acquires_.own(name, node);
    }
    /// Ends all that wait. Without the limit those in line could not take anything, either.
    void fail_waiting(failure why, zookeeper_code code = zookeeper_code::ok);

    // What its parts tell.
    void on_limit(bool differs);
    /// `question`: whose answer says that there is no semaphore.
    void on_no_limit(std::uint64_t question);
    void on_permits(const reply& answer);
    void on_swept(const permit_listing::permits_by_taker& found,
                  const std::vector<std::string>& unknown);

private:
    using phase = permit_phase;
    using acquire = permit_acquire;

    void go_on();
    void fail(acquire& which, failure why, zookeeper_code code = zookeeper_code::ok,
              const lock_key& key = {});
    bool tries_on(acquire& who);

    bool start(acquire& who);
    bool refuse(acquire& who);
    bool pay(acquire& who);
    void wait(acquire& who, bool after_try);

    void make_permits(acquire& who, phase how, transaction_step second, transaction_step third);
    void try_free(acquire& who);
    void on_tried(acquire& who, const reply& answer, const permit_limit& checked);
    void on_refused(acquire& who, const reply& answer);

    void stand_in_line(acquire& who);
    void leave_line(acquire& who);
    void give_up(acquire& who);
    void take(acquire& who);
    void on_taken(acquire& who, const reply& answer);
    void on_not_taken(acquire& who, const reply& answer);

    bool keep(acquire& who, const reply& answer, std::size_t stamped);
    void drop(acquire& who) { leaving_.add(std::exchange(who.permits, {}), 0); }
    void confirm(acquire& who);
    void grant(acquire& which);

    void adopt(acquire& who, const std::vector<std::string>& permits);
    void restart_numbers();

    session_context& context_;
    family& family_;
    const std::string path_;
    const std::string limit_path_;
    const std::string queue_path_;
    const std::string permits_path_;
    permit_acquires acquires_;
    limit_node limit_;
    permit_listing listing_;
    pending_permits leaving_;
    held_permits held_;
    std::int32_t highest_ = -1; // the highest one of a permit
    std::uint64_t connections_ = 0;
    std::uint64_t uses_ = 0;
    std::size_t open_ = 0; // requests whose answers find this object
    bool sets_tickets_;    // this session may write its tickets
    bool seen_free_ = true;
    bool starting_ = false;
    timer again_; // for what a server would not say
};

} // namespace turnstile::protocol
