// SPDX-License-Identifier: BSL-1.0
#include "ticket_book.hpp"

#include "ticket_line.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace turnstile::check {
namespace {

/// The name that a writer had before it became a reader in its place.
std::string writers_name(std::string_view downgraded) {
    constexpr std::string_view label = "-down-read-lock-";
    const auto at = downgraded.rfind(label);
    return std::string{downgraded.substr(0, at)} + "-lock-" +
           std::string{downgraded.substr(at + label.size())};
}

/// If this creation makes a writer a reader: the removal of the writer's node, which is in the same
/// transaction. Null otherwise.
const change* writer_of(const transaction& t, const change& reader) {
    const auto name = line_name::parse(reader.name);
    if (!reader.creates || !name || !name->downgraded)
        return nullptr;
    const auto writer = writers_name(reader.name);
    const auto at = std::find_if(t.changes.begin(), t.changes.end(), [&](const change& other) {
        return !other.creates && !other.hands_off && other.lock == reader.lock &&
               other.name == writer;
    });
    return at == t.changes.end() ? nullptr : &*at;
}

/// Replays the transactions one after the other, and notes in each ticket what becomes of it.
class replay {
public:
    explicit replay(std::vector<ticket>& tickets) : tickets_{tickets} {}

    void apply(const transaction& t) {
        std::set<const change*> renamed;
        for (const auto& change : t.changes) {
            const auto* const writer = writer_of(t, change);
            if (writer != nullptr && downgrade(t, *writer, change))
                renamed.insert(writer);
            else if (change.creates)
                create(t, change);
            else if (renamed.count(&change) == 0)
                remove(t, change);
        }
        for (const auto& each : t.settings)
            set(t, each);
        if (t.closes) {
            const auto own = std::exchange(of_session_[t.session], {});
            for (const auto index : own) {
                tickets_[index].expired = t.expiring;
                take_out(index, t.zxid, removal::session_end);
            }
            of_session_.erase(t.session);
        }
    }

    /// A transaction that some server has in its log, and the ensemble did not keep. The nodes that
    /// it removed exist again. But their session may have got the answer, and the session of the
    /// next in line its event: both act as if the nodes were gone. So the tickets leave the line
    /// here, while their nodes stay alive.
    void apply_undone(const transaction& t) {
        std::set<const change*> renamed;
        for (const auto& change : t.changes) {
            const auto* const writer = writer_of(t, change);
            const auto* const leaves = writer != nullptr ? writer : &change;
            const auto at = alive_.find(leaves->lock + '/' + leaves->name);
            if (leaves->creates || at == alive_.end() || tickets_[at->second].session != t.session)
                continue;
            if (writer != nullptr) { // its owner reads from then on; the node's name stays
                line_of(at->second).become_reader(at->second, t.zxid);
                renamed.insert(writer);
            } else if (renamed.count(&change) == 0) {
                tickets_[at->second].removal_undone = true;
                if (tickets_[at->second].in_line())
                    line_of(at->second).leave(at->second, t.zxid);
            }
        }
    }

private:
    /// Adds the ticket, permit or holder that was created.
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
            disown_tried(t.session, it.request);
            decide_owner(t, it);
        } else {
            it.place = *line_name::parse(what.name);
            it.made_as_reader = it.place.downgraded;
        }
        tickets_.push_back(std::move(it));
        alive_[path] = index;
        of_session_[t.session].insert(index);
        if (tickets_.back().in_line())
            line_of(index).stand(index, t.zxid);
    }

    /// Makes a writer a reader, which keeps its place and its token. False: no such writer stood
    /// there.
    bool downgrade(const transaction& t, const change& writer, const change& reader) {
        const auto at = alive_.find(writer.lock + '/' + writer.name);
        if (at == alive_.end() || tickets_[at->second].session != t.session)
            return false;
        const auto index = at->second;
        auto& it = tickets_[index];
        it.first_watchers = std::exchange(it.watchers, {}); // nobody knew the new name
        line_of(index).become_reader(index, t.zxid);
        line_of(index).rename(index);
        it.first_name = std::exchange(it.name, reader.name);
        alive_.erase(at);
        alive_[it.path()] = index;
        return true;
    }

    /// Notes new data of a ticket: a reader's mark, or a change that no release goes with.
    void set(const transaction& t, const setting& what) {
        const auto at = alive_.find(what.lock + '/' + what.name);
        if (at == alive_.end() || !tickets_[at->second].in_line())
            return;
        auto& it = tickets_[at->second];
        if (it.session != t.session || !it.reads() || !what.clears) {
            it.set_alive = true;
            return;
        }
        ++it.marks;
        if (const auto writer = line_of(at->second).writer_before(at->second))
            it.marked_behind = tickets_[*writer].name;
    }

    /// Decides whether a permit or a holder is owner from its creation on, since it never waits. If
    /// not, `behind` says why.
    void decide_owner(const transaction& t, ticket& it) {
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
        const auto* const first = line == lines_.end() ? nullptr : line->second.first();
        if (it.role == node_role::tried && first != nullptr) {
            it.behind = first->name_and_session();
            if (first->session != t.session)
                return;
            if (first->request == it.request) // it is first itself
                it.place = line_name::parse(first->name).value_or(line_name{});
            else // its acquire is taken to have given up; if it had not, disown_tried() follows
                tried_past_[{t.session, first->request}].push_back(tickets_.size());
        }
        it.owner_from = t.zxid;
    }

    /// The acquire `request` is being granted a permit, so it had not given up. Then the permits
    /// that its session tried while its ticket stood first were tried past it, and are no owners
    /// (decide_owner took them for owners).
    void disown_tried(std::int64_t session, const std::string& request) {
        if (const auto past = tried_past_.extract({session, request}))
            for (const auto index : past.mapped())
                tickets_[index].owner_from = not_yet;
    }

    /// Notes who removed the node, and how.
    void remove(const transaction& t, const change& what) {
        const auto at = alive_.find(what.lock + '/' + what.name);
        if (at == alive_.end())
            return; // it was made before the log begins, or is not ephemeral
        const auto index = at->second;
        const auto owner = tickets_[index].session;
        of_session_[owner].erase(index);
        tickets_[index].removed_by = t.session;
        take_out(index, t.zxid,
                 owner != t.session ? removal::foreign
                 : what.hands_off   ? removal::handed_off
                                    : removal::deleted);
    }

    /// The node is gone: takes it out of its line.
    void take_out(std::size_t index, std::int64_t zxid, removal how) {
        auto& it = tickets_[index];
        it.removed = zxid;
        it.how = how;
        alive_.erase(it.path());
        if (!it.in_line())
            return;
        auto& where = line_of(index);
        if (how == removal::foreign) {
            where.add_ghost(index);
            it.own_before = where.own_before(index);
        }
        where.leave(index, zxid);
    }

    ticket_line& line_of(std::size_t index) {
        return lines_.try_emplace(tickets_[index].lock, tickets_).first->second;
    }

    std::vector<ticket>& tickets_;
    std::unordered_map<std::string, std::size_t> alive_;
    std::unordered_map<std::int64_t, std::set<std::size_t>> of_session_;
    std::unordered_map<std::string, ticket_line> lines_;
    // By a session and an acquire of it: the permits that the session tried for other acquires
    // while that one's ticket stood first.
    std::map<std::pair<std::int64_t, std::string>, std::vector<std::size_t>> tried_past_;
};

} // namespace

ticket_book::ticket_book(const ordered_log& log) {
    replay all{tickets_};
    auto next = log.undone.begin();
    for (const auto& t : log.kept) {
        for (; next != log.undone.end() && next->zxid < t.zxid; ++next)
            all.apply_undone(*next);
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
    for (auto& it : tickets_) { // in the order of the line
        if (it.own_before) {
            const auto& before = tickets_[*it.own_before];
            it.behind_own = before.was_owner() || before.behind_own;
        }
    }
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
        by_zxid_.emplace(tickets_[i].created, i);
        by_path_[tickets_[i].path()].push_back(i);
        if (!tickets_[i].first_name.empty())
            by_path_[tickets_[i].lock + '/' + tickets_[i].first_name].push_back(i);
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
    for (auto at = begin; at != end; ++at)
        if (tickets_[at->second].lock == lock)
            result.push_back(&tickets_[at->second]);
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
    const auto found = by_path_.find(path);
    return found == by_path_.end() || found->second.size() > 1 ? nullptr
                                                               : &tickets_[found->second.front()];
}

bool ticket_book::known(const std::string& path) const {
    return by_path_.contains(path) ||
           std::any_of(undone_names_.begin(), undone_names_.end(),
                       [&](const auto& name) { return name.second == path; });
}

} // namespace turnstile::check
