// Rule "notice": who was told that a ticket went, and how often.
#include "rules.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace turnstile::check {
namespace {

/// All of a run together, by the servers' counters.
void check_sum(const evidence& e, verdict& out) {
    std::uint64_t own = 0;
    std::uint64_t left_behind = 0;
    for (const auto& a : e.told.acquires) {
        const auto& w = e.told.workers[a.worker];
        const auto end = std::min({a.released, a.lost, a.failed_at, w.killed, w.stopped});
        own += end - a.asked >= e.told.timeout_of(a) / 8 ? 1 : 0;
        left_behind += a.has_lock() ? 0 : 1;
    }
    const auto allowed = e.book.tickets().size() + own + left_behind;
    out.notices = e.told.events;
    out.notices_allowed = allowed;
    if (e.told.events > allowed) {
        out.add("notice", std::to_string(e.told.events) + " notifications where " +
                              std::to_string(allowed) + " would do");
    }
}

class notices_of_tickets {
public:
    notices_of_tickets(const evidence& e, verdict& out) : e_{e}, out_{out} {
        for (const auto& c : e.told.connections) {
            opened_[c.session].push_back(c.open.from);
        }
        for (auto& [session, all] : opened_) {
            std::sort(all.begin(), all.end());
        }
        for (const auto& a : e.told.acquires) {
            if (a.has_lock()) {
                granted_.emplace(std::pair{a.token, a.lock}, &a);
            }
        }
        for (const auto& t : e.book.tickets()) {
            if (!t.exclusive()) {
                shared_.insert(t.lock);
            }
        }
    }

    void check() {
        std::unordered_map<std::string, std::vector<const word*>> by_path;
        for (const auto& n : e_.told.notices) {
            by_path[n.path].push_back(&n);
        }
        for (const auto& [path, all] : by_path) {
            const auto* const its = e_.book.find(path);
            if (its == nullptr) {
                check_unknown(path);
            } else if (!its->gone_twice && shared_.count(its->lock) == 0) {
                check(*its, all);
            }
        }
    }

private:
    void add(const std::string& what) { out_.add("notice", what); }

    /// Only tickets are watched. (One that was given a name twice says nothing: see "log".)
    void check_unknown(const std::string& path) {
        if (!e_.book.known(path)) {
            add("a notification of " + path + ", which never was a ticket");
        }
    }

    void check(const ticket& its, const std::vector<const word*>& all) {
        const auto path = its.lock + '/' + its.name;
        std::set<std::size_t> connections;
        std::map<std::int64_t, unsigned> told; // a session, on its newest connection
        for (const auto* n : all) {
            const auto session = e_.told.connections[n->connection].session;
            if (!connections.insert(n->connection).second) {
                add(path + " went, and one connection was told so twice");
            }
            if (!has_left(*n) && ++told[session] == 2) {
                add(path + " went, and the session " + name(session) + " was told so twice");
            }
            if (session == its.session) {
                check_own(its, *n);
            } else if (std::find(its.watchers.begin(), its.watchers.end(), session) ==
                       its.watchers.end()) {
                add(path + " went, and the session " + name(session) +
                    " was told so, which never stood right behind it");
            }
        }
    }

    void check_own(const ticket& its, const word& n) {
        const auto at = granted_.find({its.created, its.lock});
        if (at == granted_.end()) {
            return;
        }
        const auto& a = *at->second;
        const auto& opened = opened_.at(its.session);
        const auto next = std::lower_bound(opened.begin(), opened.end(), a.asked);
        const bool reconnected = next != opened.end() && *next <= n.when;
        if (!reconnected && n.when - a.asked < e_.told.timeout_of(a) / 8) {
            add(e_.describe(a) + ": its own session was told that its ticket went, " +
                "which had not stood for a beat");
        }
    }

    /// Whether the session had another connection by then: what it hears there, it heard first.
    bool has_left(const word& n) const {
        const auto& its = e_.told.connections[n.connection];
        const auto& opened = opened_.at(its.session);
        const auto next = std::upper_bound(opened.begin(), opened.end(), its.open.from);
        return next != opened.end() && *next <= n.when;
    }

    static std::string name(std::int64_t session) {
        char text[20];
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(session));
        return text;
    }

    const evidence& e_;
    verdict& out_;
    std::unordered_map<std::int64_t, std::vector<instant>> opened_; // connections, in order
    std::map<std::pair<std::int64_t, std::string>, const acquire*> granted_;
    std::set<std::string> shared_; // locks with readers, of whom many may wait for one
};

} // namespace

void check_notices(const evidence& e, verdict& out) {
    check_sum(e, out);
    if (e.told.proxies != 0 && e.told.notices.size() != e.told.events) {
        out.add("history", "incomplete: the proxies wrote down " +
                               std::to_string(e.told.notices.size()) + " notifications of " +
                               std::to_string(e.told.events));
    }
    notices_of_tickets{e, out}.check();
}

} // namespace turnstile::check
