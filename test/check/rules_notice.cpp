// SPDX-License-Identifier: BSL-1.0
// Rule "notice": only sessions that wait for a ticket are told that it went, and once each. The sum
// of all notifications is bounded, by the servers' own counters. And each single notification is
// checked that a proxy wrote down.
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

/// How often one session may be told of one ticket, without the marks that readers set on it. A
/// waiter has one watch on the ticket before its own, which fires once.
constexpr std::size_t allowed_to_waiter = 1;
/// A release sets the data and deletes the ticket: two notifications for the ticket's own session.
/// That session may take the ticket for a stray for a while. Then its next ticket is told the first
/// of these, and the ticket itself the second.
constexpr std::size_t allowed_to_own_session = 2;

/// The locks whose nodes may be watched by others than the one waiter behind: locks without a line,
/// locks with readers, and elections, which have observers. Their notifications are left out of the
/// sum.
class other_locks {
public:
    explicit other_locks(const evidence& given) {
        for (const auto& acquire : given.told.acquires) {
            if (!holds_tickets(acquire.what)) {
                paths_.insert(acquire.lock);
                without_line_.insert(acquire.lock);
            }
        }
        for (const auto& ticket : given.book.tickets())
            if (ticket.reads())
                paths_.insert(ticket.lock);
        for (const auto& lock : given.told.elections) {
            observed_.insert(lock);
            observed_.insert(lock + "%leader");
            observed_.insert(lock + "%yield"); // the leader watches this node
        }
    }

    /// Whether the node belongs to an election, whose observers watch it as well.
    [[nodiscard]] bool is_observed(std::string_view node) const {
        return observed_.contains(node) || is_below(observed_, node);
    }

    /// Whether the node belongs to a lock whose waiters watch nodes that are no tickets.
    [[nodiscard]] bool has_other_nodes(std::string_view node) const {
        return is_below(without_line_, node);
    }

    /// Whether the node belongs to any of these locks.
    [[nodiscard]] bool covers(std::string_view node) const {
        return is_below(paths_, node) || is_observed(node);
    }

private:
    using paths = std::set<std::string, std::less<>>;

    /// Whether one of the paths is above the node.
    static bool is_below(const paths& which, std::string_view node) {
        for (auto end = node.rfind('/'); end != std::string_view::npos && end > 0;
             end = node.rfind('/', end - 1))
            if (which.count(node.substr(0, end)) != 0)
                return true;
        return false;
    }

    paths paths_;        // locks without a line, and locks with readers
    paths without_line_; // the first of these alone
    paths observed_;     // elections
};

/// Checks the sum of all notifications of a run, by the servers' counters. `repeats`: how many of
/// them a server repeated. Those of `others` are left out: notices_of_tickets checks them.
void check_sum(const evidence& given, const other_locks& others, std::uint64_t repeats,
               verdict& out) {
    std::uint64_t own = 0;         // notifications that a ticket's own session may get
    std::uint64_t left_behind = 0; // acquires that failed: each may leave its watch behind
    for (const auto& acquire : given.told.acquires) {
        if (others.covers(acquire.lock + "/any"))
            continue;
        ++own; // each acquire watches its own ticket once
        left_behind += acquire.has_lock() ? 0 : 1;
    }
    const auto of_lines =
        std::count_if(given.book.tickets().begin(), given.book.tickets().end(),
                      [&](const check::ticket& ticket) { return !others.covers(ticket.path()); });
    const auto of_others =
        std::count_if(given.told.notices.begin(), given.told.notices.end(),
                      [&](const notification& notice) { return others.covers(notice.path); });
    const auto allowed = static_cast<std::uint64_t>(of_lines) + own + left_behind + repeats;
    out.notices = given.told.events - static_cast<std::uint64_t>(of_others);
    out.notices_allowed = allowed;
    if (out.notices > allowed) {
        out.add("notice", std::to_string(out.notices) + " notifications where " +
                              std::to_string(allowed) + " would do");
    }
}

/// Checks each notification that a proxy saw. The constructor sorts them by node, and sets repeats
/// aside; check() then goes through the nodes.
class notices_of_tickets {
public:
    notices_of_tickets(const evidence& given, const other_locks& others, verdict& out)
        : given_{given}, others_{others}, out_{out} {
        for (const auto& connection : given.told.connections)
            opened_[connection.session].push_back(connection.open.from);
        for (auto& [session, openings] : opened_)
            std::sort(openings.begin(), openings.end());
        for (const auto& notice : given.told.notices)
            note_end(notice);
        set_repeats_aside();
    }

    /// How many notifications were repeats. A server (3.8.0) may send a session that ends its last
    /// notifications again and again, dozens of times, before it closes the connection. Sockets
    /// without this library have seen that, too.
    [[nodiscard]] std::uint64_t repeats() const noexcept { return repeats_; }

    void check() {
        for (const auto& [path, notices] : by_path_) {
            const auto* const gone = given_.book.find(path);
            if (others_.is_observed(path))
                continue;
            if (gone == nullptr)
                check_unknown(path);
            else if (gone->role == node_role::only_holder)
                continue; // all waiters watch it
            else if (!gone->removal_undone)
                check(*gone, path, notices);
        }
    }

private:
    void add(const std::string& text) { out_.add("notice", text); }

    /// Notes when the session of the connection has ended, if the notification shows that. A
    /// session that ends is told of the end of its own tickets, too: the first time counts.
    void note_end(const notification& notice) {
        const auto* const gone = given_.book.find(notice.path);
        if (gone != nullptr && gone->how == removal::session_end &&
            gone->session == given_.told.connections[notice.connection].session) {
            const auto [end, is_new] = ended_.emplace(notice.connection, notice.when);
            end->second = is_new ? notice.when : std::min(end->second, notice.when);
        }
    }

    /// Sorts the notifications by node, but for repeats: these are counted, and count for no node.
    void set_repeats_aside() {
        std::set<std::pair<std::size_t, std::string_view>> connections_and_paths;
        for (const auto& notice : given_.told.notices) {
            const bool is_new =
                connections_and_paths.emplace(notice.connection, notice.path).second;
            if (!is_new && has_ended(notice))
                ++repeats_;
            else
                by_path_[notice.path].push_back(&notice);
        }
    }

    /// Whether the session of the notification's connection had ended by then.
    bool has_ended(const notification& notice) const {
        const auto at = ended_.find(notice.connection);
        return at != ended_.end() && notice.when >= at->second;
    }

    /// A node that is no ticket of the log: in a line only tickets are watched. (A name that was
    /// given twice proves nothing: see rule "log".)
    void check_unknown(const std::string& path) {
        if (!given_.book.known(path) && !others_.has_other_nodes(path))
            add("a notification of " + path + ", which never was a ticket");
    }

    /// Checks the notifications of a ticket that went. Each mark that a reader sets on its ticket
    /// allows one more of them.
    void check(const ticket& gone, const std::string& path,
               const std::vector<const notification*>& notices) {
        std::map<std::size_t, std::size_t> by_connection; // how many so far
        std::map<std::int64_t, std::size_t> by_session;   // so far, on its newest connection
        const auto& watchers =
            gone.watchers_of(std::string_view{path}.substr(gone.lock.size() + 1));
        for (const auto* notice : notices) {
            const auto session = given_.told.connections[notice->connection].session;
            const bool own = session == gone.session;
            const auto allowed = gone.marks + (own ? allowed_to_own_session : allowed_to_waiter);
            // Only the first that is too many is reported.
            if (++by_connection[notice->connection] == allowed + 1)
                add(path + " went, and one connection was told so too often");
            if (!has_left(*notice) && ++by_session[session] == allowed + 1)
                add(path + " went, and the session " + name(session) + " was told so too often");
            if (!own && std::find(watchers.begin(), watchers.end(), session) == watchers.end()) {
                add(path + " went, and the session " + name(session) +
                    " was told so, which never stood right behind it");
            }
        }
    }

    /// Whether the session had left the notification's connection by then for a newer one.
    bool has_left(const notification& notice) const {
        const auto& connection = given_.told.connections[notice.connection];
        const auto& openings = opened_.at(connection.session);
        const auto next = std::upper_bound(openings.begin(), openings.end(), connection.open.from);
        return next != openings.end() && *next <= notice.when;
    }

    static std::string name(std::int64_t session) { return "0x" + test::history_hex(session); }

    const evidence& given_;
    const other_locks& others_;
    verdict& out_;
    std::unordered_map<std::int64_t, std::vector<instant>>
        opened_; // by session: when its connections were opened, sorted
    std::unordered_map<std::size_t, instant> ended_; // by connection: its session's end
    std::unordered_map<std::string, std::vector<const notification*>> by_path_; // without repeats
    std::uint64_t repeats_ = 0;
};

} // namespace

void check_notices(const evidence& given, verdict& out) {
    const other_locks others{given};
    notices_of_tickets each{given, others, out};
    each.check();
    check_sum(given, others, each.repeats(), out);
    if (given.told.proxies == 0)
        return;
    if (given.told.proxies_heard.size() != given.told.proxies) {
        out.add("history", "incomplete: " + std::to_string(given.told.proxies_heard.size()) +
                               " proxies wrote down what they saw, of " +
                               std::to_string(given.told.proxies));
    }
    if (given.told.notices.size() != given.told.events) {
        out.add("history", "incomplete: the proxies wrote down " +
                               std::to_string(given.told.notices.size()) + " notifications of " +
                               std::to_string(given.told.events));
    }
}

} // namespace turnstile::check
