// SPDX-License-Identifier: BSL-1.0
// A modelled ZooKeeper: an ensemble of several servers, or one server alone.
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

/// Owns the servers, their links and the random numbers of all of them. Its users are the
/// simulation, the test kit (src/testing) and the comparison with a real server (test/truth). They
/// own it, and connect each client by a model_caller (mostly a model_link). They also do to it what
/// operators, other programs and faults do. All happens on the thread that runs the event queue.
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
    /// Any number is the index of a server: it is taken modulo size().
    model_replica& server(std::size_t index) { return *replicas_[index % replicas_.size()]; }
    /// The leader, or null while there is none. If an old leader has not noticed its end yet, the
    /// newer one counts.
    model_replica* leader();
    /// The newest state that a server has applied.
    const model_tree& truth() const;
    /// How many watches stand on other nodes than this one and those below it.
    std::size_t watches_outside(const std::string& path) const;
    /// Whether clients could reach one server since then that has served them without a break.
    bool has_served_since(protocol::instant when) const;
    model_connection next_connection() { return ++last_connection_; }

    // What operators and other programs do. The leader proposes it. While none leads, nothing
    // happens.
    void end_session(model_session session);
    void remove(const std::string& path);
    void set_by_hand(const std::string& path, const std::string& data);
    void delete_empty_paths();
    /// Makes a container, and those above it, where they are missing.
    void make_path(const std::string& path);
    /// Makes a ticket of another program's session. Its data is set once, later, and it goes with
    /// its session.
    void foreign_ticket(const std::string& prefix, protocol::duration until_set,
                        protocol::duration until_gone);
    /// Makes another program's node, with the name of a ticket that is gone: so servers name nodes
    /// if they have lost transactions. It goes with its session. If it is gone before, `missed`
    /// is called.
    void twin(const std::string& path, protocol::duration until_gone,
              std::function<void(model_session)> missed);
    /// Takes a right away, or gives it back, at a node that is there. A new node of the same path
    /// has all rights.
    void change_right(model_right what, const std::string& path, bool given);

    // How the tree is before a run begins.
    /// Makes a node that stays, unless it is there, and denies a right at it.
    void deny(model_right what, const std::string& path);
    /// Makes a node that stays, unless it is there.
    void have(const std::string& path);

    // Faults.
    void outage_until(protocol::instant when) { outage_until_ = when; }
    void end_outage() { outage_until_ = std::min(outage_until_, now()); }
    bool is_reachable() const { return now() >= outage_until_; }
    /// Creates that are on their way when a connection breaks may be carried out after the
    /// reconnect, as behind an ObserverMaster.
    void hold_creates(bool on) { holds_creates_ = on; }
    /// Whether such a request is carried out late, by execute_late().
    bool holds(const protocol::request& what) const {
        const bool creates = what.op == protocol::operation::enqueue ||
                             what.op == protocol::operation::create_holder ||
                             what.op == protocol::operation::downgrade ||
                             what.op == protocol::operation::transact;
        return (holds_creates_ && creates) ||
               (holds_deletes_ && what.op == protocol::operation::delete_holder);
    }
    /// As hold_creates(), for deletions that a version guards.
    void hold_deletes(bool on) { holds_deletes_ = on; }
    /// Carries out a request whose connection was closed at that instant. It does so within a
    /// session timeout: later than that no session looks for late nodes.
    void execute_late(model_session session, const protocol::request& what,
                      protocol::instant closed);
    /// Cuts one server off from the others, in one direction or both.
    void partition(std::size_t server, bool outward, bool inward);
    void lag(std::size_t server, protocol::duration by);
    /// From now on that server refuses the identity of every client.
    void refuse_at(std::size_t server) { refusing_ = server; }
    bool refuses(std::size_t server) const { return refusing_ == server; }
    /// Has all servers run, and makes all links whole.
    void heal();

private:
    /// Has the leader propose a transaction, if there is one.
    void propose(const model_txn& txn);
    /// Ends another program's session, and looks until `last_look` whether it came back.
    void end_foreign(model_session session, protocol::instant last_look);

    std::mt19937_64 random_;
    model_cluster cluster_;
    model_replica::peers replicas_;
    model_connection last_connection_ = 0;
    model_session last_foreign_session_ = 0; // other programs' sessions count down from here
    protocol::instant outage_until_{};
    std::optional<std::size_t> refusing_; // the server that refuses identities
    bool holds_creates_ = false;
    bool holds_deletes_ = false;
};

} // namespace turnstile::test
