// SPDX-License-Identifier: BSL-1.0
// A lock of one node: the acquires of one session for one lock path, and the node if it is ours.
#pragma once

#include "protocol/hold_limit.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/queue/lock_directory.hpp"
#include "protocol/session_context.hpp"
#include "protocol/time/timers.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::protocol {

/// The session that makes the node holds the lock; the others watch it, and try again when it goes.
/// The acquires of a session compete one at a time, in their order. The name is used again and
/// again: so a node is known by its czxid, and deleted together with a check that no other has
/// acquired the lock since.
class single_node {
public:
    struct acquire {
        acquire(ticket_id the_id, timers& clock) : id(the_id), deadline(clock) {}
        const ticket_id id;
        bool patient = true;
        bool abandoned = false;  // the caller is gone; a node may yet appear
        std::int64_t wanted = 0; // the incarnation of the lock path that was asked for; 0: any
        request_mark request{};
        instant started{};
        timer deadline;
        std::unique_ptr<hold_limit> limit;
    };
    /// Who holds, and who acquires, is known to the session by its id.
    using owner_table = std::unordered_map<ticket_id, single_node*>;

    single_node(session_context& shared, std::string path, owner_table& owners);
    single_node(const single_node&) = delete;
    single_node& operator=(const single_node&) = delete;

    /// How often it was used, where nothing goes on.
    std::optional<std::uint64_t> resting() const {
        const bool rests = phase_ == phase::free && waiting_.empty() && !sweep_wanted_ &&
                           !directory_.is_busy() && open_ == 0;
        return rests ? std::optional{uses_} : std::nullopt;
    }
    const std::string& node_to_check() const { return path_; }
    /// The lock path was there at some time. What is remembered may be older, and then nothing else
    /// would ever ask for it anew.
    void path_believed(std::int64_t incarnation) {
        const auto known = directory_.incarnation();
        if (!directory_.is_busy() && incarnation != 0 && (!known || *known < incarnation))
            directory_.found(incarnation);
    }

    void enter(std::unique_ptr<acquire> newcomer);
    void cancel(ticket_id id, failure why, zookeeper_code code = zookeeper_code::ok);
    /// A further handle: the lock is released with the last of them.
    void share(ticket_id holder, ticket_id further);
    bool release(ticket_id id);
    bool is_held() const { return phase_ == phase::held; }
    std::vector<std::string> nodes_of(ticket_id) const { return {node_}; }
    /// None: the node's name is used again, and no check tells one incarnation of the path from the
    /// next.
    std::vector<transaction_step> proof_of(ticket_id) const { return {}; }
    /// By its deadline or its limit. The node keeps its place for the margin.
    void lose(ticket_id id, failure why);

    void abandon_all();
    void on_connected();
    void on_disconnected();
    void stop_waiting_for_releases();
    void on_expired(failure releases);
    void on_watch(ticket_id watcher, watch_event event);
    void read_again();
    void retry_denied();
    bool on_missing(const std::string& node);

    template <class Action>
    void for_each_waiting(Action action) const {
        for (const auto& each : waiting_)
            if (!each->abandoned)
                action(each->id, each->started);
    }

private:
    enum class phase : std::uint8_t {
        free,       // nothing of ours is there, and nothing is asked
        creating,   // create sent
        unresolved, // what is there is unknown: asked on the next connection
        asking,     // another's node is there: who waits sets its watch
        watching,   // the watch is set
        confirming, // the node is ours; the lease is still to be proved
        held,
        lost,      // notified; the node stays for the margin, or until the holder lets go
        examining, // path and node are read, to find out what is to be done
        deleting,  // delete sent
        kept,      // the node may not be deleted
    };
    struct own_node {
        std::vector<ticket_id> holders{}; // the handles on it; the session checks the first
        std::int64_t czxid = 0;
        std::int32_t version = 0; // of the lock path, when no other could have acquired
        bool leaving = false;
        bool unseen = false;  // on this connection: its server may have older data
        bool tried = false;   // its deletion was sent, and may have been carried out
        ticket_id notify = 0; // a release that is waited for
        failure why_lost = failure::none;
    };

    void compete();
    void on_created(const reply& answer);
    void look();
    void on_found(const reply& answer);
    bool is_renewed(const acquire& who) const;
    void take(const own_node& mine, std::int32_t others);
    void confirm();
    void grant();
    void watch_own_later(duration delay);
    void watch_own();
    void set_watch(ticket_id whose);
    void forget_watch();

    // What becomes of the node
    bool is_holder(ticket_id id) const;
    void tell_lost(const own_node& what, failure why);
    void forget_holders(const own_node& what);
    void end_hold();
    void leave(ticket_id notify);
    void remove();
    void on_removed(const reply& answer);
    void gone(failure why, zookeeper_code code = zookeeper_code::ok);
    void keep(zookeeper_code code);

    // Whose node stands there
    void examine();
    void ask_owner();
    void examine_later();
    void conclude(const reply& found);
    void conclude_own(const reply& found);
    void on_deleted_outside(bool certain);
    void sweep_later();

    void send(const request& what, reply_handler done);
    /// An answer that is late, or leaves the outcome open, is not handled.
    void ask(const request& what, reply_handler done);
    void pop_front();
    void give_bytes();
    void fail_front(failure why, zookeeper_code code = zookeeper_code::ok);
    void forget_abandoned();
    own_node end_node();
    void forget_node();
    std::size_t cost() const;

    session_context& context_;
    owner_table& owners_;
    const std::string path_;
    const std::string node_;
    lock_directory directory_;
    phase phase_ = phase::free;
    std::uint64_t epoch_ = 0; // a reply that was asked for in an earlier one is stale
    std::deque<std::unique_ptr<acquire>> waiting_; // the first competes
    std::optional<own_node> ours_;
    reply folder_;                     // the lock path, while it is examined
    std::optional<ticket_id> watcher_; // whose watch is set at the node
    std::size_t tries_ = 0;            // of the first, since it last met a node
    std::size_t paid_ = 0;             // bytes taken from the budget
    bool in_reserve_ = false;          // of those that are kept for locks that are free
    std::size_t open_ = 0;             // requests whose answers find this object
    std::uint64_t uses_ = 0;
    std::unique_ptr<hold_limit> limit_; // of the node while it is held
    timer place_expiry_;                // of a lost node
    timer own_watch_;
    timer again_; // for what a server would not say
    timer sweep_;
    bool sweep_wanted_ = false;
};

} // namespace turnstile::protocol
