// SPDX-License-Identifier: BSL-1.0
// The requests of one session machine, and the nodes that their answers show.
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

/// Stands between a session machine and its link. It counts the machine's requests, and keeps from
/// their answers which node stands where.
class asked_requests : public protocol::port {
public:
    explicit asked_requests(protocol::port& to) : to_(to) {}

    void connect(const protocol::connect_request& to) override {
        listings_.clear(); // open requests are not answered any more
        enqueues_.clear();
        reads_.clear();
        to_.connect(to);
    }
    void send(protocol::request_id id, const protocol::request& what) override {
        if (what.op == protocol::operation::transact && on_transaction_)
            on_transaction_(what);
        if (what.op == protocol::operation::get)
            reads_[id] = what.path;
        if (what.op == protocol::operation::get && what.watch && !what.path.ends_with("/limit"))
            ++watches_; // it watches a ticket
        if (what.op == protocol::operation::enqueue)
            enqueues_.insert(id);
        if (what.op == protocol::operation::get_children)
            listings_.insert(id);
        const bool hands_over = what.op == protocol::operation::transact && !what.steps.empty() &&
                                what.steps.back().what == protocol::step_kind::remove &&
                                what.steps.back().path == what.path;
        const bool deletes = what.op == protocol::operation::remove ||
                             what.op == protocol::operation::release || hands_over;
        if (const auto node = newest_.find(what.path); deletes && node != newest_.end())
            deleted_.emplace(node->second, what.path);
        to_.send(id, what);
    }
    void learn(protocol::request_id id, const protocol::reply& answer) {
        const auto read = reads_.extract(id);
        enqueues_.erase(id);
        if (answer.code != protocol::zookeeper_code::ok)
            return;
        if (answer.stat.mzxid != 0 && !answer.path.empty()) // the answer is of an enqueue
            know(answer.path, answer.stat.mzxid);
        else if (read)
            know(read.mapped(), answer.stat.czxid);
        std::int64_t czxid = 0; // sets come before creates, and show the transaction's zxid
        for (const auto& step : answer.results) {
            czxid = std::max(czxid, step.stat.mzxid);
            if (!step.path.empty() && czxid != 0)
                know(step.path, czxid);
        }
    }
    void drop() override { to_.drop(); }
    void close_session() override { to_.close_session(); }

    void on_transaction(std::function<void(const protocol::request&)> told) {
        on_transaction_ = std::move(told);
    }
    /// How many reads of tickets asked for a watch.
    std::size_t watches() const { return watches_; }
    /// How many enqueues are not answered yet.
    std::size_t enqueues() const { return enqueues_.size(); }
    /// Whether this request asked for the children of a node. True only once.
    bool take_listing(protocol::request_id id) { return listings_.erase(id) > 0; }
    /// The path of the node with this czxid below this lock path, or the newest of several: one
    /// transaction may make nodes below several paths. Null if no answer has shown it.
    const std::string* path_of(std::int64_t czxid, std::string_view lock) const {
        const auto known = paths_.find(czxid);
        if (known == paths_.end())
            return nullptr;
        for (auto each = known->second.rbegin(); each != known->second.rend(); ++each)
            if (is_under(*each, lock))
                return &*each;
        return nullptr;
    }
    /// Whether the machine has asked for the deletion of such a node.
    bool has_deleted(std::int64_t czxid, std::string_view lock) const {
        for (auto each = deleted_.lower_bound({czxid, {}});
             each != deleted_.end() && each->first == czxid; ++each)
            if (is_under(each->second, lock))
                return true;
        return false;
    }
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

    protocol::port& to_;
    std::function<void(const protocol::request&)> on_transaction_;
    std::set<protocol::request_id> listings_;
    std::set<protocol::request_id> enqueues_;
    std::map<protocol::request_id, std::string> reads_;
    std::map<std::int64_t, std::vector<std::string>> paths_; // by czxid
    std::map<std::string, std::int64_t> newest_;             // by path: the last node's czxid
    std::set<std::pair<std::int64_t, std::string>> deleted_;
    std::size_t watches_ = 0;
};

} // namespace turnstile::test
