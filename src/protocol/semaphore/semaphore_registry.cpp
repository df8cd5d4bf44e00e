// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore_registry.hpp"

#include "protocol/names/lock_path.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

// Of all semaphores: above all ids of tickets and inquiries.
constexpr watcher_id watcher_of_all = watcher_id{1} << 63;

} // namespace

bool semaphore_registry::occupies(const acquire_request& what) const {
    const auto found = semaphores_.find(what.path);
    return found != semaphores_.end() && !found->second.which->idle();
}

bool semaphore_registry::is_nested(const std::string& path) const {
    return protocol::is_nested(path, semaphores_);
}

void semaphore_registry::acquire(ticket_id id, const acquire_request& what,
                                 std::optional<instant> end) {
    if (what.stated_limit && *what.stated_limit == 0)
        return context_.events.on_acquire_failed(id, failure::too_many, zookeeper_code::ok);
    enter(id, what, end, false);
}

bool semaphore_registry::look_up(watcher_id id, const acquire_request& what,
                                 std::optional<instant> end) {
    if (what.stated_limit && *what.stated_limit == 0)
        context_.events.on_looked_up(id, failure::too_many, zookeeper_code::ok, {});
    else
        enter(id, what, end, true);
    return true;
}

void semaphore_registry::enter(ticket_id id, const acquire_request& what,
                               std::optional<instant> end, bool only_looked) {
    auto& known = semaphores_[what.path];
    if (!known.which) {
        known.which = std::make_unique<semaphore>(context_, family_, what.path, watcher_of_all);
        known.review.emplace(
            context_, [semaphore = known.which.get()] { return semaphore->resting(); },
            [this, path = what.path] { semaphores_.erase(path); });
    }
    known.which->enter(id, what, end, only_looked);
}

semaphore* semaphore_registry::owner_of(ticket_id id) const {
    const auto found = family_.owners.find(id);
    return found == family_.owners.end() ? nullptr : found->second;
}

bool semaphore_registry::cancel(watcher_id id, failure why) {
    const auto owner = owner_of(id);
    if (owner)
        owner->cancel(id, why);
    return owner != nullptr;
}

bool semaphore_registry::share(ticket_id holder, ticket_id further) {
    const auto owner = owner_of(holder);
    if (owner)
        owner->held().share(holder, further);
    return owner != nullptr;
}

bool semaphore_registry::release(ticket_id id) {
    const auto owner = owner_of(id);
    return owner && owner->release(id);
}

bool semaphore_registry::lose(ticket_id id) {
    const auto owner = owner_of(id);
    if (owner)
        owner->held().lose(id);
    return owner != nullptr;
}

std::vector<std::string> semaphore_registry::nodes_of(ticket_id id) const {
    const auto owner = owner_of(id);
    return owner ? owner->held().nodes_of(id) : std::vector<std::string>{};
}

// Its permits; a ticket in its line is the queue's.
std::size_t semaphore_registry::sharers_of(const std::string& path, const std::string& node) const {
    const auto found = semaphores_.find(path);
    return found == semaphores_.end() ? 0
                                      : found->second.which->held().sharers_of(path + '/' + node);
}

void semaphore_registry::for_each_waiting(const waiting_action& action) const {
    for_each([&](const semaphore& where) { where.for_each_waiting(action); });
}

void semaphore_registry::on_connected() {
    for_each([](semaphore& where) { where.on_connected(); });
}

void semaphore_registry::on_disconnected() {
    for_each([](semaphore& where) { where.on_disconnected(); });
}

semaphore* semaphore_registry::at(const std::string& node) const {
    for (auto end = node.rfind('/'); end != 0 && end != node.npos; end = node.rfind('/', end - 1))
        if (const auto found = semaphores_.find(node.substr(0, end)); found != semaphores_.end())
            return found->second.which.get();
    return nullptr;
}

bool semaphore_registry::on_watch(watcher_id watcher, watch_event event, const std::string& node) {
    if (watcher != watcher_of_all)
        return false;
    if (const auto where = at(node))
        where->on_watch(node, event);
    return true;
}

bool semaphore_registry::on_missing(const std::string& node) {
    const auto where = at(node);
    return where && where->held().on_missing(node);
}

void semaphore_registry::read_again() {
    for_each([](semaphore& where) { where.read_again(); });
}

std::optional<std::string> semaphore_registry::busy_node() const {
    for (const auto& [path, each] : semaphores_)
        if (!each.which->idle())
            return each.which->limit_path();
    return std::nullopt;
}

void semaphore_registry::stop_waiting_for_releases() {
    for_each([](semaphore& where) { where.stop_waiting_for_releases(); });
}

void semaphore_registry::abandon_all() {
    for_each([](semaphore& where) { where.abandon_all(); });
}

void semaphore_registry::stop() {
    for (auto& [path, each] : semaphores_)
        each.review.reset();
}

void semaphore_registry::on_expired(failure releases) {
    for_each([&](semaphore& where) { where.on_expired(releases); });
}

} // namespace turnstile::protocol
