// SPDX-License-Identifier: BSL-1.0
// The nodes and sessions that each server of the modelled ensemble keeps.
#pragma once

#include "model_txn.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

/// The state of one server, a model_replica, which owns it. The same transactions in the same order
/// make the same tree and the same replies. It knows nothing of time, networks or watches: it only
/// says which events a transaction has.
class model_tree {
public:
    /// What became of a transaction.
    struct outcome {
        protocol::reply answer{};
        std::vector<std::pair<std::string, protocol::watch_event>> events{}; // by node
        // Nodes that nobody may read: a watch on one of these is spent, and its client not told.
        std::set<std::string> unreadable{};
    };

    explicit model_tree(bool exists_needs_read = false);

    outcome apply(const model_txn& txn);
    protocol::reply read(const protocol::request& what) const;

    bool has(const std::string& path) const { return find(path) != nullptr; }
    bool alive(model_session session) const { return sessions_.contains(session); }
    std::vector<model_session> sessions() const;
    std::vector<std::string> children(const std::string& path) const;
    /// The ephemeral nodes that this transaction made.
    std::vector<std::string> made_by(std::int64_t zxid) const;
    /// Containers that have had children and have none.
    std::vector<std::string> reapable() const;

    /// Takes a right at a node away from everybody, for as long as the node stands. `create` and
    /// `remove` are rights to its children. The node is made if it is missing, as by have().
    void deny(model_right what, const std::string& path);
    /// Makes a node that stays, unless it is there. It counts as made before the first transaction.
    void have(const std::string& path);
    bool denies(model_right what, const std::string& path) const {
        const auto found = find(path);
        return found && found->denied.contains(what);
    }

private:
    struct node {
        std::int64_t czxid = 0;
        std::int64_t mzxid = 0;
        std::int64_t ctime = 0;
        model_session owner = 0;  // 0: the node is not ephemeral
        std::int32_t created = 0; // children made so far: the next sequence number
        std::string data{};
        std::set<std::string> children{};
        std::set<model_right> denied{};
        bool container = false;
        std::int32_t version = 0; // of the data
    };

    const node* find(const std::string& path) const;
    node* find(const std::string& path);
    static protocol::node_stat stat_of(const node& which);
    static std::string parent_of(const std::string& path);

    // model_tree_writes.cpp: the requests of sessions. apply() calls write(), which calls one of
    // the functions below it. Each checks existence and rights as a real server does, and answers.
    protocol::reply write(const model_txn& txn, outcome& result);
    protocol::reply enqueue(const model_txn& txn, outcome& result);
    protocol::reply create_container(const model_txn& txn, outcome& result);
    protocol::reply remove(const std::string& path, outcome& result);
    /// Makes an ephemeral node below a lock path, after it has set the path's data.
    protocol::reply make_ticket(const std::string& path, const model_txn& txn, outcome& result);
    protocol::reply create_holder(const model_txn& txn, outcome& result);
    protocol::reply delete_holder(const model_txn& txn, outcome& result);
    protocol::reply transact(const model_txn& txn, outcome& result);
    /// Carries out one step of transact().
    protocol::step_result carry_out(const protocol::transaction_step& step, const model_txn& txn,
                                    outcome& result);
    /// Carries out a step that makes a node.
    protocol::step_result make_of(const protocol::transaction_step& step, const model_txn& txn,
                                  outcome& result);
    protocol::reply downgrade(const model_txn& txn, outcome& result);
    protocol::reply release(const model_txn& txn, const node& which, outcome& result);
    /// The error of a create at this path; `ok` if the node may be made.
    protocol::zookeeper_code creatable(const std::string& path) const;
    /// The error of a deletion of this node; `ok` if it may be deleted.
    protocol::zookeeper_code removable(const std::string& path) const;

    // The changes themselves. They check nothing, and note the events in `result`.
    void set(const std::string& path, const model_txn& txn, outcome& result);
    node& make(const std::string& path, const model_txn& txn, model_session owner, outcome& result);
    void erase(const std::string& path, outcome& result);
    void end_session(model_session session, outcome& result);
    void tell(const std::string& path, protocol::watch_event event, outcome& result) const;

    const bool exists_needs_read_;
    std::map<std::string, node> nodes_;
    std::map<model_session, std::set<std::string>> sessions_; // with their ephemeral nodes
};

} // namespace turnstile::test
