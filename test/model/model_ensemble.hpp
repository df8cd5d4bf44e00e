// SPDX-License-Identifier: BSL-1.0
// A modelled ZooKeeper: some servers, or one alone.
#pragma once

#include "model_link.hpp"
#include "model_replica.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace turnstile::test {

class model_ensemble {
public:
    model_ensemble(event_queue& events, std::uint64_t seed, std::size_t servers,
                   const model_limits& limits, model_replica::apply_observer observer);
    model_ensemble(const model_ensemble&) = delete;
    model_ensemble& operator=(const model_ensemble&) = delete;

    event_queue& events() { return cluster_.events; }
    protocol::instant now() const { return cluster_.now(); }
    protocol::duration timeout() const { return cluster_.limits.timeout; }
    protocol::duration client_latency() const { return cluster_.limits.client_latency; }
    std::uint64_t below(std::uint64_t limit) { return cluster_.below(limit); }
    protocol::duration up_to(protocol::duration longest) { return cluster_.up_to(longest); }

    std::size_t size() const { return replicas_.size(); }
    model_replica& server(std::size_t index) { return *replicas_[index % replicas_.size()]; }
    /// The one whose word counts, or nobody while there is none: of two, the newer.
    model_replica* leader();
    /// The newest state that a server has applied.
    const model_tree& truth() const;
    /// On all nodes but this one and those below it.
    std::size_t watches_outside(const std::string& path) const;
    /// Some server, and a majority with it, without a break; nor was there an outage.
    bool has_served_since(protocol::instant when) const;
    model_connection next_connection() { return ++last_connection_; }

    // Work of other hands.
    void end_session(model_session session);
    void remove(const std::string& path);
    void set_by_hand(const std::string& path, const std::string& data);
    void delete_empty_paths();
    /// A container, and those above it, where they are missing.
    void make_path(const std::string& path);
    /// A ticket of another program's session, whose data is set after a while, until it goes.
    void foreign_ticket(const std::string& prefix, protocol::duration until_set,
                        protocol::duration until_gone);
    /// Another program's node with the name of one that is gone, as servers give it that have lost
    /// transactions. It goes with its session; `missed` tells that it had gone before.
    void twin(const std::string& path, protocol::duration until_gone,
              std::function<void(model_session)> missed);
    /// Before all else, at a node that is made for it.
    void deny(model_right what, const std::string& path);
    /// Makes a node that stays, before all else.
    void have(const std::string& path);
    /// Takes a right away, or gives it back, at a node that is there; with the node it goes.
    void change_right(model_right what, const std::string& path, bool given);

    // Faults.
    void outage_until(protocol::instant when) { outage_until_ = when; }
    void end_outage() { outage_until_ = std::min(outage_until_, now()); }
    bool reachable() const { return now() >= outage_until_; }
    /// Creates on their way when a connection breaks may be carried out after the reconnect, as
    /// behind an ObserverMaster.
    void hold_creates(bool on) { holds_creates_ = on; }
    bool holds(const protocol::request& what) const {
        const bool creates = what.op == protocol::operation::enqueue ||
                             what.op == protocol::operation::create_holder ||
                             what.op == protocol::operation::downgrade ||
                             what.op == protocol::operation::transact;
        return (holds_creates_ && creates) ||
               (holds_deletes_ && what.op == protocol::operation::delete_holder);
    }
    /// The same of deletions that a version guards.
    void hold_deletes(bool on) { holds_deletes_ = on; }
    /// Within a session timeout of the connection's end: later than that nobody looks.
    void execute_late(model_session session, const protocol::request& what,
                      protocol::instant closed);
    /// Cuts one server off from the others, in one direction or both.
    void partition(std::size_t server, bool outward, bool inward);
    void lag(std::size_t server, protocol::duration by);
    /// From now on that server takes nobody's identity.
    void refuse_at(std::size_t server) { refusing_ = server; }
    bool refuses(std::size_t server) const { return refusing_ == server; }
    /// All servers run, all links are whole.
    void heal();

private:
    void propose(const model_txn& txn);
    void end_foreign(model_session session, protocol::instant last_look);

    std::mt19937_64 random_;
    model_cluster cluster_;
    model_replica::peers replicas_;
    model_connection last_connection_ = 0;
    model_session last_foreign_session_ = 0;
    protocol::instant outage_until_{};
    std::optional<std::size_t> refusing_;
    bool holds_creates_ = false;
    bool holds_deletes_ = false;
};

} // namespace turnstile::test
