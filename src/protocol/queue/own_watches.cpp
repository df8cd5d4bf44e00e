// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/own_watches.hpp"

#include "protocol/queue/lock_queue.hpp"
#include "protocol/queue/ticket_table.hpp"

#include <utility>

namespace turnstile::protocol {

void own_watches::watch_later(ticket& who, duration delay) {
    who.own_timer.set(context_.now() + delay, [this, &who] {
        if (who.has_node())
            watch(who);
    });
}

void own_watches::forget(ticket& who) {
    who.own_timer.cancel();
    if (std::exchange(who.watches_itself, own_watch_state::none) == own_watch_state::armed)
        context_.watches.forget(queue_.path_of(who), who.id, kind());
}

void own_watches::watch(ticket& who) {
    if (!context_.requests.connected() || who.watches_itself != own_watch_state::none)
        return;
    who.watches_itself = own_watch_state::asked;
    const auto id = who.id;
    const auto node = queue_.path_of(who);
    const bool by_data = kind() == watch_kind::data;
    context_.requests.send(
        {.op = by_data ? operation::get : operation::get_children, .path = node, .watch = true},
        [this, id, node](const reply& answer) {
            const auto found = table_.find(id);
            if (!found || !found->has_node() || queue_.path_of(*found) != node)
                return;
            found->watches_itself = own_watch_state::none;
            if (found->is_changing()) // the end of the change sets the watch anew
                return;
            if (answer.code == zookeeper_code::no_node) // a read alone: the node may yet be there
                return queue_.on_deleted_outside(*found, lock_queue::evidence::read);
            if (refused(answer.code))
                return watch_later(*found, lease_plan::asked_again(context_.lease.timeout()));
            if (answer.code != zookeeper_code::ok)
                return;
            // A newer node has the name, so the ticket's own is certainly gone.
            if (found->czxid != 0 && answer.stat.czxid > found->czxid)
                return queue_.on_deleted_outside(*found);
            found->watches_itself = own_watch_state::armed;
            found->unseen = false;
            if (found->czxid == 0) // a downgrade made the node, and its answer had no czxid
                found->czxid = answer.stat.czxid;
            context_.watches.add(node, id, kind());
        });
}

} // namespace turnstile::protocol
