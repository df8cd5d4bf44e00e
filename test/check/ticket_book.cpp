#include "ticket_book.hpp"

#include "lock_kinds.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace turnstile::check {
namespace {

/// Who stands in one line. Tickets are known by their index, which grows with the zxid.
struct line {
    std::set<std::size_t> waiting;
    std::set<std::size_t> owners;
    promises::units taken = 0;      ///< by the owners
    std::set<std::size_t> standing; ///< the waiting and the owners
    std::set<std::size_t> ghosts;   ///< removed by another hand: their sessions may not know it yet
};

class replay {
public:
    explicit replay(std::vector<ticket>& tickets) : tickets_{tickets} {}

    void apply(const transaction& t) {
        for (const auto& change : t.changes) {
            change.creates ? create(t, change) : remove(t, change);
        }
        if (t.closes) {
            const auto own = std::exchange(of_session_[t.session], {});
            for (const auto index : own) {
                tickets_[index].expired = t.expiring;
                take_out(index, t.zxid, removal::session_end);
            }
            of_session_.erase(t.session);
        }
    }

    /// A removal that was not kept. The nodes stand there again, but their session has done with
    /// them, and if it was answered, whoever was next in line has been told.
    void give_up(const transaction& t) {
        for (const auto& change : t.changes) {
            const auto at = alive_.find(change.lock + '/' + change.name);
            if (!change.creates && at != alive_.end() &&
                tickets_[at->second].session == t.session) {
                tickets_[at->second].gone_twice = true;
                if (tickets_[at->second].in_line()) {
                    leave_line(at->second, t.zxid);
                }
            }
        }
    }

private:
    void create(const transaction& t, const change& what) {
        const auto path = what.lock + '/' + what.name;
        const auto index = tickets_.size();
        ticket it;
        it.role = node_name::parse(path)->role;
        it.lock = what.lock;
        it.name = what.name;
        it.request = what.request;
        it.session = t.session;
        it.created = t.zxid;
        if (!it.in_line()) {
            own_at_once(t, it);
        } else {
            it.place = *line_name::parse(what.name);
        }
        tickets_.push_back(std::move(it));
        alive_[path] = index;
        of_session_[t.session].insert(index);
        if (tickets_.back().in_line()) {
            stand_in_line(index, t);
        }
    }

    /// Nobody waits with such a node: it is made to hold the lock.
    void own_at_once(const transaction& t, ticket& it) {
        const auto queue = queue_of(it.lock);
        if (it.role == node_role::taken) {
            for (const auto& change : t.changes) {
                if (change.hands_off && change.lock == queue) {
                    it.owner_from = t.zxid;
                    it.place = line_name::parse(change.name).value_or(line_name{});
                    return;
                }
            }
            it.behind = "nobody whose ticket it ended";
            return;
        }
        const auto line = lines_.find(queue);
        if (it.role == node_role::tried && line != lines_.end() && !line->second.standing.empty()) {
            const auto& front = tickets_[*line->second.standing.begin()];
            if (front.session != t.session) {
                it.behind = front.name;
                return;
            }
            it.place = line_name::parse(front.name).value_or(line_name{}); // as the first in line
        }
        it.owner_from = t.zxid;
    }

    void stand_in_line(std::size_t index, const transaction& t) {
        auto& where = lines_[tickets_[index].lock];
        if (!where.standing.empty()) {
            tickets_[*where.standing.rbegin()].watchers.push_back(t.session);
        }
        where.standing.insert(index);
        where.waiting.insert(index);
        promote(where, t.zxid);
    }

    void remove(const transaction& t, const change& what) {
        const auto at = alive_.find(what.lock + '/' + what.name);
        if (at == alive_.end()) {
            return; // not a ticket of ours to follow: made before the log begins, or no ephemeral
        }
        const auto index = at->second;
        const auto owner = tickets_[index].session;
        of_session_[owner].erase(index);
        tickets_[index].removed_by = t.session;
        take_out(index, t.zxid,
                 owner != t.session ? removal::foreign
                 : what.hands_off   ? removal::handed_off
                                    : removal::deleted);
    }

    void take_out(std::size_t index, std::int64_t zxid, removal how) {
        auto& it = tickets_[index];
        it.removed = zxid;
        it.how = how;
        alive_.erase(it.lock + '/' + it.name);
        if (!it.in_line()) {
            return;
        }
        if (how == removal::foreign) {
            auto& where = lines_[it.lock];
            where.ghosts.insert(index);
            it.behind_own = std::all_of(
                where.standing.begin(), where.standing.lower_bound(index),
                [&](std::size_t before) { return tickets_[before].session == it.session; });
        }
        leave_line(index, zxid);
    }

    /// Who stood right behind one that leaves stands behind the one before it now.
    void close_ranks(line& where, std::size_t index) {
        const auto at = where.standing.find(index);
        if (at == where.standing.end()) {
            return;
        }
        const auto after = where.standing.erase(at);
        if (after == where.standing.begin()) { // nobody is left to be watched from there
            const auto oldest = after == where.standing.end() ? tickets_.size() : *after;
            where.ghosts.erase(where.ghosts.begin(), where.ghosts.lower_bound(oldest));
            return;
        }
        auto& before = tickets_[*std::prev(after)];
        const auto end = after == where.standing.end() ? tickets_.size() : *after;
        if (after != where.standing.end()) {
            before.watchers.push_back(tickets_[*after].session);
        }
        for (auto g = where.ghosts.lower_bound(index); g != where.ghosts.end() && *g < end; ++g) {
            before.watchers.push_back(tickets_[*g].session);
        }
    }

    void leave_line(std::size_t index, std::int64_t zxid) {
        auto& it = tickets_[index];
        auto& where = lines_[it.lock];
        if (where.waiting.erase(index) != 0 && !where.owners.empty()) {
            it.behind = tickets_[*where.owners.begin()].name;
        }
        if (where.owners.erase(index) != 0) {
            where.taken -= taken_by(it.exclusive());
        }
        close_ranks(where, index);
        promote(where, zxid);
    }

    /// Makes owners of the first in line, as far as they may be together.
    void promote(line& where, std::int64_t zxid) {
        while (!where.waiting.empty()) {
            const auto index = *where.waiting.begin();
            auto& it = tickets_[index];
            const auto takes = taken_by(it.exclusive());
            if (!kind_of_lines.fits(where.taken, takes)) {
                return;
            }
            it.owner_from = zxid;
            where.waiting.erase(where.waiting.begin());
            where.owners.insert(index);
            where.taken += takes;
        }
    }

    std::vector<ticket>& tickets_;
    std::unordered_map<std::string, std::size_t> alive_;
    std::unordered_map<std::int64_t, std::set<std::size_t>> of_session_;
    std::unordered_map<std::string, line> lines_;
};

} // namespace

ticket_book::ticket_book(const ordered_log& log) {
    replay all{tickets_};
    auto next = log.undone.begin();
    for (const auto& t : log.kept) {
        for (; next != log.undone.end() && next->zxid < t.zxid; ++next) {
            all.give_up(*next);
        }
        all.apply(t);
    }
    for (const auto& t : log.undone) {
        for (const auto& change : t.changes) {
            if (change.creates) {
                undone_.emplace(t.zxid, change.lock);
                undone_names_.emplace(t.session, change.lock + '/' + change.name);
            }
        }
    }
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
        by_zxid_.emplace(tickets_[i].created, i);
        by_path_.emplace(tickets_[i].lock + '/' + tickets_[i].name, i);
    }
}

bool ticket_book::undone(const std::string& lock, std::int64_t created) const {
    return undone_.count({created, lock}) != 0;
}

bool ticket_book::mistaken(const ticket& t) const {
    return t.how == removal::foreign &&
           undone_names_.count({t.removed_by, t.lock + '/' + t.name}) != 0;
}

std::vector<const ticket*> ticket_book::all_of(const std::string& lock,
                                               std::int64_t created) const {
    std::vector<const ticket*> result;
    const auto [begin, end] = by_zxid_.equal_range(created);
    for (auto at = begin; at != end; ++at) {
        if (tickets_[at->second].lock == lock) {
            result.push_back(&tickets_[at->second]);
        }
    }
    return result;
}

const ticket* ticket_book::find(const std::string& lock, std::int64_t created) const {
    const auto all = all_of(lock, created);
    const auto first = std::min_element(all.begin(), all.end(), [](const auto* a, const auto* b) {
        return a->removed < b->removed;
    });
    return first == all.end() ? nullptr : *first;
}

const ticket* ticket_book::find(const std::string& path) const {
    const auto [begin, end] = by_path_.equal_range(path);
    return begin == end || std::next(begin) != end ? nullptr : &tickets_[begin->second];
}

bool ticket_book::known(const std::string& path) const {
    return by_path_.count(path) != 0 ||
           std::any_of(undone_names_.begin(), undone_names_.end(),
                       [&](const auto& name) { return name.second == path; });
}

} // namespace turnstile::check
