// SPDX-License-Identifier: BSL-1.0
// What each server of the modelled ensemble keeps: nodes and sessions.
#pragma once

#include "model_txn.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

/// The same transactions in the same order make the same tree and the same replies: there are
/// ephemeral sequential nodes and containers, and nothing of time, networks or watches.
class model_tree {
public:
    struct outcome {
        protocol::reply answer{};
        std::vector<std::pair<std::string, protocol::watch_event>> events{};
        // Of nodes that nobody may read: watches on them are spent without a word.
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

    /// From now on nobody has it at that node, until the node goes; `create` and `remove` are those
    /// of its children. A node that is not there is made, as by an operator before all else.
    void deny(model_right what, const std::string& path);
    /// As made before all else.
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
        model_session owner = 0;
        std::int32_t created = 0; // children made so far: the next sequence
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
    protocol::reply write(const model_txn& txn, outcome& result);
    protocol::reply enqueue(const model_txn& txn, outcome& result);
    protocol::reply create_container(const model_txn& txn, outcome& result);
    protocol::reply remove(const std::string& path, outcome& result);
    protocol::reply make_ticket(const std::string& path, const model_txn& txn, outcome& result);
    protocol::reply create_holder(const model_txn& txn, outcome& result);
    protocol::reply delete_holder(const model_txn& txn, outcome& result);
    protocol::reply transact(const model_txn& txn, outcome& result);
    protocol::step_result carry_out(const protocol::transaction_step& step, const model_txn& txn,
                                    outcome& result);
    protocol::step_result make_of(const protocol::transaction_step& step, const model_txn& txn,
                                  outcome& result);
    protocol::reply downgrade(const model_txn& txn, outcome& result);
    protocol::reply release(const model_txn& txn, const node& which, outcome& result);
    /// Why a node may not be made there, if so.
    protocol::zookeeper_code creatable(const std::string& path) const;
    protocol::zookeeper_code removable(const std::string& path) const;
    void set(const std::string& path, const model_txn& txn, outcome& result);
    node& make(const std::string& path, const model_txn& txn, model_session owner, outcome& result);
    void erase(const std::string& path, outcome& result);
    void tell(const std::string& path, protocol::watch_event event, outcome& result) const;
    void end_session(model_session session, outcome& result);

    const bool exists_needs_read_;
    std::map<std::string, node> nodes_;
    std::map<model_session, std::set<std::string>> sessions_; // with their ephemeral nodes
};

} // namespace turnstile::test
