// SPDX-License-Identifier: BSL-1.0
// The right to DELETE is checked on the lock path: without it no ticket goes before its session.
// Without READ there nobody can find out what became of a create.
#include "simulation.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;

std::vector<std::string> simulation::sorted_by_sequence(std::vector<std::string> names) {
    constexpr std::size_t digits = 10;
    const auto sequence = [](const std::string& name) {
        return name.size() < digits ? name : name.substr(name.size() - digits);
    };
    std::ranges::sort(names, {}, sequence);
    return names;
}

std::vector<std::string> simulation::folders_of(const std::string& path) {
    if (path != semaphore_path)
        return {path};
    return {path, path + "/leases", path + "/queue"};
}

void simulation::change_rights() {
    if (!working_)
        return;
    const auto path = any_path();
    const bool given = one_in(2);
    if (!given)
        undeletable_.insert(path);
    const auto folders = folders_of(path);
    const auto folder = folders[folders.size() > 1 ? ensemble_.below(folders.size()) : 0];
    ensemble_.change_right(model_right::remove, folder, given);
    events_.after(up_to(500ms), [this] { change_rights(); });
}

void simulation::hide_paths() {
    if (!working_)
        return;
    const auto path = any_path();
    const bool given = one_in(2);
    if (!given)
        hidden_.insert(path);
    if (path != denied())
        ensemble_.change_right(model_right::read, path, given);
    events_.after(up_to(300ms), [this] { hide_paths(); });
}

// A semaphore of which a part was deleted is looked at again T/8 later, before its acquires fail.
bool simulation::rests(const std::string& path) const {
    return plan_.part_deletions && path == semaphore_path &&
           !ensemble_.truth().has(path + ('/' + std::string(protocol::limit_name)));
}

// Whoever stands behind a kept ticket of its own session would wait for itself; behind one of
// another session it waits rightly, until that session ends or the right is given back.
void simulation::check_nobody_waits_behind_kept() {
    if (plan_.small_budget)
        return; // some wait in their process, for bytes
    for (const auto& client : clients_)
        for (const auto& path : paths()) {
            if (client->dead() || client->acquiring(path) == 0)
                continue;
            if (client->asked().is_busy_below(path) || rests(path))
                continue;
            std::size_t standing = 0;
            for (const auto& folder : folders_of(path))
                standing += standing_in_the_way(*client, path, folder);
            if (standing > client->unsettled(path))
                reports_.push_back(client->name() + " waits for " + path +
                                   " behind a ticket that it may not delete");
        }
}

// Whether the first ticket in this queue of a semaphore is of this session and waits for permits
// alone. It may have become first while the deletion of one before it was under way, and that was
// refused afterwards.
bool simulation::is_first(const model_client& client, const std::string& lock,
                          const std::string& folder) const {
    if (!folder.ends_with("/queue"))
        return false;
    for (const auto& child : sorted_by_sequence(ensemble_.truth().children(folder))) {
        const auto node = ensemble_.truth().read(
            {.op = protocol::operation::exists, .path = folder + ('/' + child)});
        if (node.stat.ephemeral_owner != client.session())
            return false;
        if (!client.asked().has_deleted(node.stat.czxid, lock))
            return true;
        if (!client.asked().has_looked_since_deletion(node.stat.czxid, lock))
            return false;
    }
    return false;
}

// The nodes of this session. The first in the queue of a semaphore does not wait for what it may
// not delete.
std::size_t simulation::standing_in_the_way(const model_client& client, const std::string& lock,
                                            const std::string& folder) const {
    std::size_t result = 0;
    const bool first = is_first(client, lock, folder);
    for (const auto& child : ensemble_.truth().children(folder)) {
        const auto node = ensemble_.truth().read(
            {.op = protocol::operation::exists, .path = folder + ('/' + child)});
        const bool own = node.stat.ephemeral_owner == client.session();
        const bool kept = own && client.asked().has_deleted(node.stat.czxid, lock);
        const bool leaves = own && client.asked().is_deleting(folder + ('/' + child));
        result += own && !leaves && !(kept && first) ? 1 : 0;
    }
    return result;
}

void simulation::give_rights_back(model_right which) {
    rights_lack_ = true;
    bool lack = false;
    for (const auto& path : paths())
        for (const auto& folder : folders_of(path))
            if (path != denied() && ensemble_.truth().denies(which, folder)) {
                ensemble_.change_right(which, folder, true);
                lack = true;
            }
    events_.after(250ms, [this, which, lack] {
        if (lack) // perhaps nobody leads just now
            return give_rights_back(which);
        rights_lack_ = false;
        if (which != model_right::remove)
            return;
        undeletable_.clear();
        for (const auto& client : clients_)
            if (!client->dead())
                free_kept(*client);
    });
}

// What nobody was allowed to delete goes with the next acquire of its session, or with the session.
// An acquire for which there is no room is refused before it comes to that.
void simulation::free_kept(model_client& client) {
    if (plan_.small_budget || one_in(2)) {
        client.forsake();
        return ensemble_.end_session(client.session());
    }
    for (const auto& path : paths()) {
        client.begin(++last_ticket_, acquire_of(path));
        if (path == single_node_path) // or a ticket was kept, by who does not belong there
            client.begin(++last_ticket_, {.path = path});
    }
}

} // namespace turnstile::test
