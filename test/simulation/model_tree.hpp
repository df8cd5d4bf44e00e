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
    };

    model_tree();

    outcome apply(const model_txn& txn);
    protocol::reply read(const protocol::request& what) const;

    bool alive(model_session session) const { return sessions_.contains(session); }
    std::vector<model_session> sessions() const;
    std::vector<std::string> children(const std::string& path) const;
    /// Containers that have had children and have none.
    std::vector<std::string> reapable() const;

    /// Whatever is asked of this kind below the path is denied from now on.
    void deny(protocol::operation what, const std::string& path) { denied_.emplace(what, path); }

private:
    struct node {
        std::int64_t czxid = 0;
        std::int64_t mzxid = 0;
        model_session owner = 0;
        std::int32_t created = 0; // children made so far: the next sequence
        std::string data{};
        std::set<std::string> children{};
    };

    const node* find(const std::string& path) const;
    node* find(const std::string& path);
    static protocol::node_stat stat_of(const node& which);
    bool denies(const protocol::request& what) const;
    protocol::reply write(const model_txn& txn, outcome& result);
    protocol::reply enqueue(const model_txn& txn, outcome& result);
    protocol::reply create_container(const model_txn& txn);
    node& make(const std::string& path, const model_txn& txn, model_session owner);
    void erase(const std::string& path, outcome& result);
    void end_session(model_session session, outcome& result);

    std::map<std::string, node> nodes_;
    std::map<model_session, std::set<std::string>> sessions_; // with their ephemeral nodes
    std::set<std::pair<protocol::operation, std::string>> denied_;
};

} // namespace turnstile::test
