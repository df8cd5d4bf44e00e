// SPDX-License-Identifier: BSL-1.0
// Watches the requests of one session machine, and the nodes that their answers show.
#pragma once

#include "protocol/wire/port.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::test {

/// Stands between a session machine and its link: model_client owns it, and gives it to the machine
/// as its port. It passes all on to the link. It counts requests, and remembers from answers which
/// node (czxid) has which path, so that the client can check what the machine says.
class asked_requests : public protocol::port {
public:
    explicit asked_requests(protocol::port& link) : link_(link) {}

    void connect(const protocol::connect_request& to) override {
        listings_.clear(); // requests that are open now get no answer
        enqueues_.clear();
        reads_.clear();
        cut_unwatches_ += unwatches_.empty() ? 0U : 1U;
        unwatches_.clear();
        link_.connect(to);
    }
    void send(protocol::request_id id, const protocol::request& what) override {
        if (what.op == protocol::operation::transact && on_transaction_)
            on_transaction_(what);
        if (what.op == protocol::operation::get)
            reads_[id] = what.path;
        if (what.op == protocol::operation::get && what.watch && !what.path.ends_with("/limit"))
            ++watches_; // it watches a ticket
        if (what.op == protocol::operation::unwatch ||
            what.op == protocol::operation::unwatch_children)
            unwatches_.insert(id);
        if (what.op == protocol::operation::enqueue)
            enqueues_.insert(id);
        if (what.op == protocol::operation::get_children)
            listings_.insert(id);
        if (const auto node = newest_.find(what.path); node != newest_.end() && deletes_path(what))
            deleted_.emplace(node->second, what.path);
        link_.send(id, what);
    }
    /// Looks at an answer, before the machine gets it.
    void learn(protocol::request_id id, const protocol::reply& answer) {
        const auto read = reads_.extract(id);
        enqueues_.erase(id);
        if (unwatches_.erase(id) > 0 && !outcome_unknown(answer.code))
            cut_unwatches_ = 0;
        if (answer.code != protocol::zookeeper_code::ok)
            return;
        if (answer.stat.mzxid != 0 && !answer.path.empty()) // it answers an enqueue
            know(answer.path, answer.stat.mzxid);
        else if (read)
            know(read.mapped(), answer.stat.czxid);
        std::int64_t czxid = 0; // a set comes before the creates, and shows the transaction's zxid
        for (const auto& step : answer.results) {
            czxid = std::max(czxid, step.stat.mzxid);
            if (!step.path.empty() && czxid != 0)
                know(step.path, czxid);
        }
    }
    void drop() override { link_.drop(); }
    void close_session() override { link_.close_session(); }

    /// Sets what is called with each transaction before it is sent.
    void on_transaction(std::function<void(const protocol::request&)> handler) {
        on_transaction_ = std::move(handler);
    }
    /// How many reads of tickets asked for a watch.
    std::size_t watches() const { return watches_; }
    /// Whether the machine takes no watch off any more: three connections in a row have ended
    /// before such a request was answered (request_pipeline).
    bool leaves_watches() const { return cut_unwatches_ >= 3; }
    /// How many enqueues are not answered yet.
    std::size_t enqueues() const { return enqueues_.size(); }
    /// Whether this request asked for the children of a node. True only once.
    bool take_listing(protocol::request_id id) { return listings_.erase(id) > 0; }
    /// The path of the node with this czxid below this lock path. One transaction may make several
    /// nodes: of these it is the one that was shown last. Null if no answer has shown one.
    const std::string* path_of(std::int64_t czxid, std::string_view lock) const {
        const auto known = paths_.find(czxid);
        if (known == paths_.end())
            return nullptr;
        for (auto each = known->second.rbegin(); each != known->second.rend(); ++each)
            if (is_under(*each, lock))
                return &*each;
        return nullptr;
    }
    /// Whether the machine has asked for the deletion of a node with this czxid below this path.
    bool has_deleted(std::int64_t czxid, std::string_view lock) const {
        for (auto each = deleted_.lower_bound({czxid, {}});
             each != deleted_.end() && each->first == czxid; ++each)
            if (is_under(each->second, lock))
                return true;
        return false;
    }
    /// Remembers that the node with this czxid has this path.
    void know(const std::string& path, std::int64_t czxid) {
        auto& known = paths_[czxid];
        std::erase(known, path);
        known.push_back(path);
        newest_[path] = czxid;
    }

private:
    static bool is_under(std::string_view path, std::string_view lock) {
        return path.starts_with(lock) && path.substr(lock.size()).starts_with('/');
    }

    /// Whether the request deletes the node of its path, perhaps as a transaction's last step.
    static bool deletes_path(const protocol::request& what) {
        if (what.op == protocol::operation::transact)
            return !what.steps.empty() && what.steps.back().what == protocol::step_kind::remove &&
                   what.steps.back().path == what.path;
        return what.op == protocol::operation::remove || what.op == protocol::operation::release;
    }

    protocol::port& link_;
    std::function<void(const protocol::request&)> on_transaction_;
    std::set<protocol::request_id> listings_;           // open requests for children
    std::set<protocol::request_id> enqueues_;           // open
    std::set<protocol::request_id> unwatches_{};        // without an answer
    std::size_t cut_unwatches_ = 0;                     // connections in a row that ended with one
    std::map<protocol::request_id, std::string> reads_; // open, with the path that is read
    std::map<std::int64_t, std::vector<std::string>> paths_; // by czxid
    std::map<std::string, std::int64_t> newest_;             // by path: the last node's czxid
    std::set<std::pair<std::int64_t, std::string>> deleted_; // nodes whose deletion was asked for
    std::size_t watches_ = 0;
};

} // namespace turnstile::test
