// SPDX-License-Identifier: BSL-1.0
// What a machine asks, on its way to the link, and what it learns of nodes by that.
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

class asked_requests : public protocol::port {
public:
    explicit asked_requests(protocol::port& to) : to_(to) {}

    void connect(const protocol::connect_request& to) override {
        listings_.clear(); // what was open is lost
        enqueues_.clear();
        reads_.clear();
        deleting_.clear();
        looks_.clear();
        to_.connect(to);
    }
    void send(protocol::request_id id, const protocol::request& what) override {
        if (what.op == protocol::operation::transact && on_transaction_)
            on_transaction_(what);
        if (what.op == protocol::operation::get)
            reads_[id] = what.path;
        if (what.op == protocol::operation::get && what.watch && !what.path.ends_with("/limit"))
            ++watches_; // of a ticket
        if (what.op == protocol::operation::enqueue)
            enqueues_.insert(id);
        syncs_ += what.op == protocol::operation::sync ? 1 : 0;
        checks_ += what.op == protocol::operation::check || is_beat(what) ? 1 : 0;
        if (what.op == protocol::operation::get_children)
            listings_.insert(id);
        ++sent_;
        if (what.op == protocol::operation::get_children && what.watch)
            looks_[what.path] = sent_;
        const bool hands_over = what.op == protocol::operation::transact && !what.steps.empty() &&
                                what.steps.back().what == protocol::step_kind::remove &&
                                what.steps.back().path == what.path;
        const bool deletes = what.op == protocol::operation::remove ||
                             what.op == protocol::operation::release || hands_over;
        if (const auto node = newest_.find(what.path); deletes && node != newest_.end())
            deleted_.try_emplace({node->second, what.path}, sent_);
        if (deletes)
            deleting_[id] = what.path;
        to_.send(id, what);
    }
    void learn(protocol::request_id id, const protocol::reply& answer) {
        const auto read = reads_.extract(id);
        deleting_.erase(id);
        enqueues_.erase(id);
        if (answer.code != protocol::zookeeper_code::ok)
            return;
        if (answer.stat.mzxid != 0 && !answer.path.empty()) // of an enqueue
            know(answer.path, answer.stat.mzxid);
        else if (read)
            know(read.mapped(), answer.stat.czxid);
        std::int64_t czxid = 0; // the sets come first
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
    /// Reads that were to leave a watch behind.
    std::size_t watches() const { return watches_; }
    /// Enqueues that are not answered.
    std::size_t enqueues() const { return enqueues_.size(); }
    /// Beats by `sync`; nothing else is one.
    std::size_t syncs() const { return syncs_; }
    /// Beats by writes, and the first word on a connection.
    std::size_t checks() const { return checks_; }
    /// Whether this asked for the children of a node. Tells it once.
    bool take_listing(protocol::request_id id) { return listings_.erase(id) > 0; }
    /// Where the node of this czxid stands or stood, of those under this lock path the newest:
    /// one transaction may make nodes under several. Nothing where no answer has shown it.
    const std::string* path_of(std::int64_t czxid, std::string_view lock) const {
        const auto known = paths_.find(czxid);
        if (known == paths_.end())
            return nullptr;
        for (auto each = known->second.rbegin(); each != known->second.rend(); ++each)
            if (is_under(*each, lock))
                return &*each;
        return nullptr;
    }
    /// Whether this has asked for the deletion of such a node.
    bool has_deleted(std::int64_t czxid, std::string_view lock) const {
        return deletion_of(czxid, lock) > 0;
    }
    /// Whether this has looked at the permits since, to wait for them: only the first in line does.
    /// All that on the connection of the moment, as a cut ends every wait.
    bool has_looked_since_deletion(std::int64_t czxid, const std::string& lock) const {
        const auto look = looks_.find(lock + "/leases");
        const auto deletion = deletion_of(czxid, lock);
        return deletion > 0 && look != looks_.end() && look->second > deletion;
    }
    /// Whether the deletion of this node is under way: nobody has refused it yet. One that was
    /// denied is read before it is tried again.
    bool is_deleting(const std::string& path) const {
        return is_reading(path) || std::ranges::any_of(deleting_, [&](const auto& each) {
                   return each.second == path;
               });
    }
    bool is_reading(const std::string& path) const {
        return std::ranges::any_of(reads_, [&](const auto& each) { return each.second == path; });
    }
    /// A node below the path is read or deleted: what was kept is tried again, one after the other.
    bool is_busy_below(const std::string& path) const {
        const auto below = [&](const auto& each) { return each.second.starts_with(path + '/'); };
        return std::ranges::any_of(reads_, below) || std::ranges::any_of(deleting_, below);
    }

    void know(const std::string& path, std::int64_t czxid) {
        auto& known = paths_[czxid];
        std::erase(known, path);
        known.push_back(path);
        newest_[path] = czxid;
    }

private:
    /// Its place among all that was sent; 0: none.
    std::size_t deletion_of(std::int64_t czxid, std::string_view lock) const {
        for (auto each = deleted_.lower_bound({czxid, {}});
             each != deleted_.end() && each->first.first == czxid; ++each)
            if (is_under(each->first.second, lock))
                return each->second;
        return 0;
    }
    /// Of tickets that wait, with what they wait for.
    static bool is_beat(const protocol::request& what) {
        return what.op == protocol::operation::transact &&
               std::ranges::all_of(what.steps, [](const auto& step) {
                   return step.what == protocol::step_kind::check;
               });
    }
    static bool is_under(std::string_view path, std::string_view lock) {
        return path.starts_with(lock) && path.substr(lock.size()).starts_with('/');
    }

    protocol::port& to_;
    std::function<void(const protocol::request&)> on_transaction_;
    std::set<protocol::request_id> listings_;
    std::set<protocol::request_id> enqueues_;
    std::map<protocol::request_id, std::string> reads_;
    std::map<protocol::request_id, std::string> deleting_;
    std::map<std::int64_t, std::vector<std::string>> paths_; // by czxid
    std::map<std::string, std::int64_t> newest_;             // what was last seen to have this name
    std::map<std::pair<std::int64_t, std::string>, std::size_t> deleted_; // when it first was
    std::map<std::string, std::size_t> looks_; // with a watch, and when the last was
    std::size_t sent_ = 0;
    std::size_t watches_ = 0;
    std::size_t syncs_ = 0;
    std::size_t checks_ = 0;
};

} // namespace turnstile::test
