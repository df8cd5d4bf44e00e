// SPDX-License-Identifier: BSL-1.0
// One server of the modelled ensemble: its log, its tree, its clients, and its part in the quorum.
#pragma once

#include "model_caller.hpp"
#include "model_cluster.hpp"
#include "model_leadership.hpp"
#include "model_tree.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace turnstile::test {

/// It works as a server of ZooKeeper does. A write goes through the leader, and the server that was
/// asked answers it once it has applied it. A read is answered from the server's own state. A
/// follower tells the leader which sessions it has heard, but only when the leader pings it. Its
/// files: model_replica.cpp (log, roles), model_replica_clients.cpp, model_replica_quorum.cpp.
class model_replica {
public:
    enum class role { down, looking, following, leading };
    using peers = std::vector<std::unique_ptr<model_replica>>;
    /// A transaction was applied here, and so many watches of others than the asker fired.
    using apply_observer =
        std::function<void(const model_replica&, const model_txn&, std::size_t others)>;

    model_replica(model_cluster& cluster, peers& all, std::size_t index, apply_observer observer);
    model_replica(const model_replica&) = delete;
    model_replica& operator=(const model_replica&) = delete;

    // What arrives from clients.
    void attach(model_connection id, std::shared_ptr<model_caller> caller, model_session wanted);
    void receive(model_connection id, protocol::request_id request, const protocol::request& what);
    void close_session(model_connection id);
    void hang_up(model_connection id);

    // Faults.
    void crash();
    void start();
    void pause() { paused_ = true; }
    void resume();
    /// Until `when` it answers half of the requests with `throttled`: it has too much to do.
    void throttle_until(protocol::instant when) { throttled_until_ = when; }
    /// While its links are broken or slow, a connection's first request is answered `throttled`.
    void throttle_barriers() { throttles_barriers_ = true; }
    /// Until `when` each answer to a client, and each handshake, takes the time `each`.
    void slow_down_until(protocol::instant when, protocol::duration each) {
        slow_until_ = when;
        pace_ = each;
    }
    protocol::duration pace() const {
        return cluster_.now() < slow_until_ ? pace_ : protocol::duration::zero();
    }
    /// Its links are broken or slow, until they are mended.
    void cut_off() { cut_off_ = true; }
    void rejoin();

    /// Runs what has arrived: now, later if the process is paused, never if it is down.
    void run(std::function<void()> arrived);
    /// An operator's or the reaper's transaction, or one that was held back on its way. Leader
    /// only.
    void propose(model_txn txn);

    role part() const { return role_; }
    bool up() const { return role_ != role::down && !paused_; }
    bool serves() const { return role_ == role::following || role_ == role::leading; }
    /// Whether this server is a quick follower, and nothing has happened to it since then, nor to
    /// its leader: both serve. Or it is the only server, and nothing has happened to it.
    bool steady_since(protocol::instant when) const;
    std::size_t index() const { return index_; }
    const model_tree& tree() const { return tree_; }
    model_tree& tree() { return tree_; }
    std::size_t watches_outside(const std::string& path) const;
    std::int64_t applied() const { return applied_ == 0 ? 0 : log_[applied_ - 1]->zxid; }

private:
    friend class model_leadership;
    using txn_ptr = std::shared_ptr<const model_txn>;
    struct pending {
        protocol::request_id id = 0;
        protocol::request what{};
        std::optional<protocol::reply> answer{};
    };
    struct client {
        std::shared_ptr<model_caller> caller;
        model_session session = 0;
        std::deque<pending> open{};
        bool asked = false; // anything, on this connection
    };

    // model_replica.cpp
    void apply_up_to(std::int64_t zxid);
    void apply(const model_txn& txn);
    std::size_t fire(const model_tree::outcome& result, model_connection asker);
    std::set<model_connection> watchers_of(const std::string& path, protocol::watch_event event);
    void be(role next); // enters a role; the timers of the role before are void
    bool undisturbed_since(protocol::instant when) const {
        return serves() && !paused_ && !cut_off_ && disturbed_ <= when && throttled_until_ <= when;
    }
    void later(protocol::duration delay, std::function<void()> action);
    std::size_t majority() const { return all_.size() / 2 + 1; }
    std::int64_t last_logged() const { return log_.empty() ? 0 : log_.back()->zxid; }

    // model_replica_clients.cpp
    void accept(model_connection id, model_session session, bool valid);
    void open_session(model_connection id);
    void submit(model_txn txn);
    void answer(model_connection id, protocol::request_id request, const protocol::reply& what);
    void drain(model_connection id);
    protocol::reply read(model_connection id, const protocol::request& what);
    void forget(model_connection id);
    void end_client(model_connection id, protocol::disconnect_reason why);
    void end_all_clients();

    // model_replica_quorum.cpp
    /// Looks for a leader, or elects one; again and again until there is one.
    void seek();
    void join(model_replica& leader);
    void lead(std::int64_t epoch);
    /// Follows or leads no more, and looks for a leader.
    void leave();
    // Messages of the leader of this epoch.
    void on_proposal(std::int64_t epoch, const txn_ptr& txn);
    void on_commit(std::int64_t epoch, std::int64_t zxid);
    void on_ping(std::int64_t epoch);
    /// Notes a sign of life of the leader. False: it is the leader no more, or not of this server.
    bool hear_leader(std::int64_t epoch);
    /// Leaves a leader that is silent for too long. Sets its own timer again.
    void watch_leader();
    /// Sends a message to another server, which runs `what` at its arrival.
    void tell(std::size_t peer, std::function<void(model_replica&)> what);

    model_cluster& cluster_;
    peers& all_;
    const std::size_t index_;
    apply_observer observer_;
    role role_ = role::down;
    std::int64_t epoch_ = 0; // of the last leader that it followed, or that it was
    std::vector<txn_ptr> log_;
    std::size_t applied_ = 0;
    model_tree tree_;
    std::size_t leader_ = 0;
    protocol::instant leader_heard_{};
    std::unique_ptr<model_leadership> leadership_;
    std::map<model_connection, client> clients_;
    std::map<std::string, std::set<model_connection>> watchers_;
    std::map<std::string, std::set<model_connection>> child_watchers_;
    std::set<model_session> touched_; // since the leader's last ping
    model_session sessions_made_ = 0;
    std::uint64_t life_ = 0; // timers of an earlier one are void
    bool paused_ = false;
    bool cut_off_ = false;
    bool throttles_barriers_ = false;
    protocol::instant disturbed_{}; // when something happened to it
    protocol::instant throttled_until_{};
    protocol::instant slow_until_{};
    protocol::duration pace_{};
    std::vector<std::function<void()>> backlog_;
};

} // namespace turnstile::test
