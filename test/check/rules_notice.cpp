// SPDX-License-Identifier: BSL-1.0
// Rule "notice": who was told that a ticket went, and how often.
#include "rules.hpp"

#include "lock_kinds.hpp"

#include "support/history_writer.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace turnstile::check {
namespace {

/// Locks of which one ticket may have other waiters than the one behind it, by their paths: those
/// whose waiters watch other nodes, those that have readers, and elections, which have observers.
class other_locks {
public:
    explicit other_locks(const evidence& e) {
        for (const auto& a : e.told.acquires) {
            if (!holds_tickets(a.what)) {
                paths_.insert(a.lock);
                without_line_.insert(a.lock);
            }
        }
        for (const auto& t : e.book.tickets())
            if (t.reads())
                paths_.insert(t.lock);
        for (const auto& lock : e.told.elections) {
            observed_.insert(lock);
            observed_.insert(lock + ".leader");
        }
    }

    /// Whether observers of an election watch it as well.
    [[nodiscard]] bool are_observed(std::string_view node) const {
        return observed_.contains(node) || is_below(observed_, node);
    }

    /// Whether its waiters watch what is no ticket.
    [[nodiscard]] bool have_other_nodes(std::string_view node) const {
        return is_below(without_line_, node);
    }

    /// Whether the node is below one of them.
    [[nodiscard]] bool have(std::string_view node) const {
        return is_below(paths_, node) || are_observed(node);
    }

private:
    using paths = std::set<std::string, std::less<>>;

    static bool is_below(const paths& which, std::string_view node) {
        for (auto end = node.rfind('/'); end != std::string_view::npos && end > 0;
             end = node.rfind('/', end - 1))
            if (which.count(node.substr(0, end)) != 0)
                return true;
        return false;
    }

    paths paths_;
    paths without_line_;
    paths observed_;
};

/// All lines of a run that have no readers together, by the servers' counters, but for what a
/// server repeated. (Of the others each ticket is looked at.)
void check_sum(const evidence& e, const other_locks& others, std::uint64_t repeats, verdict& out) {
    std::uint64_t own = 0;
    std::uint64_t left_behind = 0;
    for (const auto& a : e.told.acquires) {
        if (others.have(a.lock + "/any"))
            continue;
        ++own; // a ticket that waits watches itself, and one that holds from its first beat on
        left_behind += a.has_lock() ? 0 : 1;
    }
    const auto of_lines = std::count_if(e.book.tickets().begin(), e.book.tickets().end(),
                                        [&](const ticket& t) { return !others.have(t.path()); });
    const auto of_others = std::count_if(e.told.notices.begin(), e.told.notices.end(),
                                         [&](const word& n) { return others.have(n.path); });
    const auto allowed = static_cast<std::uint64_t>(of_lines) + own + left_behind + repeats;
    out.notices = e.told.events - static_cast<std::uint64_t>(of_others);
    out.notices_allowed = allowed;
    if (out.notices > allowed) {
        out.add("notice", std::to_string(out.notices) + " notifications where " +
                              std::to_string(allowed) + " would do");
    }
}

class notices_of_tickets {
public:
    notices_of_tickets(const evidence& e, const other_locks& others, verdict& out)
        : e_{e}, others_{others}, out_{out} {
        for (const auto& c : e.told.connections)
            opened_[c.session].push_back(c.open.from);
        for (auto& [session, all] : opened_)
            std::sort(all.begin(), all.end());
        for (const auto& n : e.told.notices)
            note_end(n);
        set_repeats_aside();
    }

    /// A server (3.8.0) may send a session that ends its last notifications again and again, dozens
    /// of times, before it closes the connection: seen on sockets without this library as well.
    [[nodiscard]] std::uint64_t repeats() const noexcept { return repeats_; }

    void check() {
        for (const auto& [path, all] : by_path_) {
            const auto* const its = e_.book.find(path);
            if (others_.are_observed(path))
                continue;
            if (its == nullptr)
                check_unknown(path);
            else if (its->role == node_role::only_holder)
                continue; // everybody who waits watches it
            else if (!its->gone_twice)
                check(*its, path, all);
        }
    }

private:
    void add(const std::string& what) { out_.add("notice", what); }

    /// That a connection's own session has ended is told there by the tickets that go with it.
    void note_end(const word& n) {
        const auto* const its = e_.book.find(n.path);
        if (its != nullptr && its->how == removal::session_end &&
            its->session == e_.told.connections[n.connection].session) {
            const auto [at, first] = ended_.emplace(n.connection, n.when);
            at->second = first ? n.when : std::min(at->second, n.when);
        }
    }

    /// They count for no ticket, be it one whose notifications are looked at or not.
    void set_repeats_aside() {
        std::set<std::pair<std::size_t, std::string_view>> told;
        for (const auto& n : e_.told.notices) {
            const bool again = !told.emplace(n.connection, n.path).second;
            if (again && has_ended(n))
                ++repeats_;
            else
                by_path_[n.path].push_back(&n);
        }
    }

    bool has_ended(const word& n) const {
        const auto at = ended_.find(n.connection);
        return at != ended_.end() && n.when >= at->second;
    }

    /// Of lines only tickets are watched. (One that was given a name twice says nothing: see
    /// "log".)
    void check_unknown(const std::string& path) {
        if (!e_.book.known(path) && !others_.have_other_nodes(path))
            add("a notification of " + path + ", which never was a ticket");
    }

    /// Of one that its reader marked they are told before, too.
    void check(const ticket& its, const std::string& path, const std::vector<const word*>& all) {
        std::map<std::size_t, std::size_t> connections;
        std::map<std::int64_t, std::size_t> told; // a session, on its newest connection
        const auto& watchers = its.watchers_of(std::string_view{path}.substr(its.lock.size() + 1));
        for (const auto* n : all) {
            const auto session = e_.told.connections[n->connection].session;
            const bool own = session == its.session;
            // A release sets the data and deletes. Of a ticket that its session took for a stray
            // for a while, its next one is told the first, and the ticket itself the second.
            const auto too_many = its.marks + (own ? 3 : 2);
            if (++connections[n->connection] == too_many)
                add(path + " went, and one connection was told so too often");
            if (!has_left(*n) && ++told[session] == too_many)
                add(path + " went, and the session " + name(session) + " was told so too often");
            if (!own && std::find(watchers.begin(), watchers.end(), session) == watchers.end()) {
                add(path + " went, and the session " + name(session) +
                    " was told so, which never stood right behind it");
            }
        }
    }

    /// Whether the session had another connection by then: what it hears there, it heard first.
    bool has_left(const word& n) const {
        const auto& its = e_.told.connections[n.connection];
        const auto& opened = opened_.at(its.session);
        const auto next = std::upper_bound(opened.begin(), opened.end(), its.open.from);
        return next != opened.end() && *next <= n.when;
    }

    static std::string name(std::int64_t session) { return "0x" + test::history_hex(session); }

    const evidence& e_;
    const other_locks& others_;
    verdict& out_;
    std::unordered_map<std::int64_t, std::vector<instant>> opened_; // connections, in order
    std::unordered_map<std::size_t, instant> ended_; // connections that told of their session's end
    std::unordered_map<std::string, std::vector<const word*>> by_path_; // but for repeats
    std::uint64_t repeats_ = 0;
};

} // namespace

void check_notices(const evidence& e, verdict& out) {
    const other_locks others{e};
    notices_of_tickets each{e, others, out};
    each.check();
    check_sum(e, others, each.repeats(), out);
    if (e.told.proxies == 0)
        return;
    if (e.told.proxies_heard.size() != e.told.proxies) {
        out.add("history", "incomplete: " + std::to_string(e.told.proxies_heard.size()) +
                               " proxies wrote down what they saw, of " +
                               std::to_string(e.told.proxies));
    }
    if (e.told.notices.size() != e.told.events) {
        out.add("history", "incomplete: the proxies wrote down " +
                               std::to_string(e.told.notices.size()) + " notifications of " +
                               std::to_string(e.told.events));
    }
}

} // namespace turnstile::check
