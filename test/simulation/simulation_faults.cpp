// SPDX-License-Identifier: BSL-1.0
// The faults of a simulated run. `one_in(n)` makes a fault rarer than others that are drawn as
// often. A fault ends by a timer of its own, and all end in simulation::heal().
#include "simulation.hpp"

#include <array>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;

namespace {

// A random number below this picks a server: model_ensemble takes it modulo the number of servers.
constexpr std::uint64_t any_server = 8;

} // namespace

void simulation::inject_fault() {
    if (!working_)
        return;
    switch (ensemble_.below(4)) {
    case 0:
        harm_a_connection();
        break;
    case 1:
        harm_a_server();
        break;
    case 2:
        harm_a_process();
        break;
    case 3:
        act_from_outside();
        break;
    }
    events_.after(up_to(80ms), [this] { inject_fault(); });
}

void simulation::harm_a_connection() {
    switch (ensemble_.below(4)) {
    case 0:
    case 1:
        if (plan_.cuts)
            cut(any_client());
        break;
    case 2:
        if (plan_.black_holes)
            any_client().link().black_hole(!one_in(3), !one_in(3));
        break;
    case 3:
        if (plan_.outages && one_in(3)) {
            ensemble_.outage_until(events_.now() + up_to(session_timeout * 2));
            any_client().link().cut();
        }
        break;
    }
}

// With repeated_cuts the connection breaks again: a request that is sent anew may lose its answer
// anew.
void simulation::cut(model_client& client) {
    client.link().cut();
    if (plan_.repeated_cuts && working_ && !one_in(4))
        events_.after(up_to(40ms), [this, &client] { cut(client); });
}

void simulation::harm_a_server() {
    auto* const leader = ensemble_.leader();
    auto& victim = leader && one_in(2) ? *leader : ensemble_.server(ensemble_.below(any_server));
    const auto index = victim.index();
    const auto heal_later = [this](protocol::duration longest) {
        events_.after(up_to(longest), [this] { ensemble_.heal(); });
    };
    switch (ensemble_.below(5)) {
    case 0:
        if (plan_.server_crashes && one_in(3)) {
            trace_server(index, "crashes");
            victim.crash();
            events_.after(up_to(session_timeout), [&victim] { victim.start(); });
        }
        break;
    case 1:
        if (plan_.server_pauses && one_in(3) && victim.up()) {
            trace_server(index, "pauses");
            victim.pause();
            events_.after(up_to(session_timeout * 3 / 2), [&victim] { victim.resume(); });
        }
        break;
    case 2:
        if (plan_.partitions && plan_.ensemble && one_in(3)) {
            const auto way = ensemble_.below(3); // 0: inward, 1: outward, 2: both
            trace_server(index, "is cut off, way " + std::to_string(way));
            ensemble_.partition(index, way != 0, way != 1);
            heal_later(session_timeout * 5);
        }
        break;
    case 3:
        if (plan_.lag && plan_.ensemble) {
            trace_server(index, "lags");
            ensemble_.lag(index, up_to(300ms));
            heal_later(session_timeout);
        }
        break;
    case 4:
        if (plan_.partitioned_holders && plan_.ensemble && one_in(2))
            partition_a_holder();
        break;
    }
}

void simulation::throttle() {
    if (!working_)
        return;
    auto& victim = ensemble_.server(ensemble_.below(any_server));
    trace_server(victim.index(), "has too much to do");
    victim.throttle_until(events_.now() + up_to(session_timeout / 4));
    events_.after(up_to(200ms), [this] { throttle(); });
}

// The pace is such that an answer takes about as long, with the ways there and back, as a session
// waits for it.
void simulation::slow_down() {
    auto& victim = ensemble_.server(ensemble_.below(any_server));
    const auto pace = session_timeout / 16 + up_to(session_timeout / 80);
    trace_server(victim.index(), "takes " + std::to_string(pace / 1ms) + " ms for each answer");
    victim.slow_down_until(end_of_faults, pace);
}

// Leaves some process alone with its server. If it holds locks, its belief rests on what it had
// been told before.
void simulation::partition_a_holder() {
    auto& victim = any_client();
    if (plan_.newly_proved)
        await_proof(victim, victim.deadline());
    else
        isolate_with_server(victim);
}

// Waits until a proof has moved the deadline, and leaves the holder alone then: it believes in its
// lease for the longest time, and the servers know the least of that.
void simulation::await_proof(model_client& holder, protocol::instant before) {
    if (holder.dead() || !holder.holds_anything() || !working_)
        return;
    if (holder.deadline() != before)
        return isolate_with_server(holder);
    events_.after(1ms, [this, &holder, before] { await_proof(holder, before); });
}

// Cuts the holder's server off from the other servers, and keeps the holder from connecting to
// these.
void simulation::isolate_with_server(model_client& holder) {
    const auto index = holder.link().server();
    if (!index || !holder.holds_anything())
        return;
    const auto way = ensemble_.below(3); // as in harm_a_server()
    trace_server(*index, "is left with a holder, way " + std::to_string(way));
    ensemble_.partition(*index, way != 0, way != 1);
    alone_until_[&holder] = events_.now() + session_timeout * 2;
    holder.link().lock_out_until(alone_until_[&holder]);
    if (plan_.holder_returns) {
        holder.link().let_back_to(*index);
        events_.after(up_to(session_timeout / 2), [&holder] { holder.link().cut(); });
    }
    events_.after(one_in(2) ? up_to(session_timeout * 3 / 2) : session_timeout * 2,
                  [this] { ensemble_.heal(); });
}

// Breaks all connections, and cancels acquires while their sessions look again who stands before
// them. So a place in line is left to a ticket that has not looked yet.
void simulation::cancel_in_doubt() {
    for (const auto& client : clients_) {
        client->link().cut();
        for (const auto id : client->waiting())
            if (one_in(2))
                events_.after(up_to(80ms), [&client = *client, id] { client.cancel(id); });
    }
}

void simulation::harm_a_process() {
    if (plan_.client_crashes && one_in(6)) {
        crash(any_client());
        start_client();
    }
    if (plan_.client_pauses && one_in(6))
        any_client().pause_until(events_.now() + up_to(session_timeout * 3 / 2));
}

// A model_multi ends with a process of its parts, even if other parts are on other processes.
void simulation::crash(model_client& client) {
    client.crash();
    for (const auto& each : multis_)
        if (each->is_on(client))
            each->abandon();
}

void simulation::act_from_outside() {
    switch (ensemble_.below(4)) {
    case 0:
        if (plan_.session_ends && one_in(2)) {
            auto& client = any_client();
            client.forsake();
            ensemble_.end_session(client.session());
        }
        break;
    case 1:
        if (plan_.path_deletions)
            ensemble_.delete_empty_paths();
        break;
    case 2:
        if (plan_.ticket_deletions) {
            auto path = any_path();
            if (path == semaphore_path)
                path += one_in(2) ? "/leases" : "/queue";
            const auto children = ensemble_.truth().children(path);
            if (!children.empty())
                delete_ticket(path + '/' + children[ensemble_.below(children.size())]);
        }
        break;
    case 3:
        if (plan_.foreign_tickets)
            add_foreign_ticket();
        break;
    }
}

void simulation::delete_ticket(const std::string& path) {
    const auto stat =
        ensemble_.truth().read({.op = protocol::operation::exists, .path = path}).stat;
    condemned_[path] = stat;
    ensemble_.remove(path);
    if (!plan_.client_pauses) // a paused process may believe in it for longer
        await_deletion(path, stat.czxid);
}

// Deletes a ticket that is not the first in line, again and again. It may be new, or just about to
// get the lock.
void simulation::delete_waiting() {
    if (!working_)
        return;
    const auto all = lines();
    const auto path = all[ensemble_.below(all.size())];
    const auto children = sorted_by_sequence(ensemble_.truth().children(path));
    if (children.size() > 1)
        delete_ticket(path + '/' + children[1 + ensemble_.below(children.size() - 1)]);
    events_.after(up_to(100ms), [this] { delete_waiting(); });
}

// Waits until the ticket is gone. Two timeouts later no process may hold the lock by it. (A leader
// that its majority has left deletes the ticket when that is back, or never.)
void simulation::await_deletion(const std::string& path, std::int64_t czxid) {
    const auto stands = [this, path, czxid] {
        return ensemble_.truth()
                   .read({.op = protocol::operation::exists, .path = path})
                   .stat.czxid == czxid;
    };
    events_.after(session_timeout / 8, [this, path, czxid, stands] {
        if (stands())
            return await_deletion(path, czxid);
        events_.after(session_timeout * 2, [this, path, czxid, stands] {
            if (stands())
                return; // the deletion was lost with a leader
            for (const auto& client : clients_)
                if (client->holds({czxid, lock_of(path)}))
                    reports_.push_back(client->name() + " still holds " + path +
                                       ", long since deleted from outside");
        });
    });
}

// Deletes a node of the semaphore, and the other two soon after it, again and again. A node with
// children stays.
void simulation::delete_part() {
    if (!working_)
        return;
    const auto remove = [this](std::size_t which) {
        static constexpr std::array parts{"limit", "queue", "leases"};
        ensemble_.remove(std::string(semaphore_path) + '/' + parts.at(which % parts.size()));
    };
    const auto first = ensemble_.below(3);
    remove(first);
    events_.after(up_to(20ms), [remove, first] {
        remove(first + 1);
        remove(first + 2);
    });
    events_.after(up_to(400ms), [this] { delete_part(); });
}

// Another program lines up, sets its node's data as Curator's revoker does, and goes.
void simulation::add_foreign_ticket() {
    const auto path = any_path();
    if (path == semaphore_path)
        return;
    const std::string kind = !plan_.curator_names ? "lock-" : one_in(2) ? "__READ__" : "__WRIT__";
    // "turn-2-": no lock path is of incarnation 2. Those that have() makes are of incarnation 1.
    const auto prefix = path + (one_in(2) ? "/x-" : "/turn-2-") + kind;
    ensemble_.foreign_ticket(prefix, up_to(150ms), up_to(session_timeout / 2));
}

// Readers of another program stand in line for a while, and come again. They are so many that a
// ticket behind them counts as far from the front.
void simulation::crowd_in() {
    if (!working_)
        return;
    const auto stay = up_to(session_timeout / 2);
    for (std::size_t i = 0; i < crowd; ++i)
        ensemble_.foreign_ticket(std::string(lock_paths[0]) +
                                     (plan_.curator_names ? "/x-__READ__" : "/x-__rlock__"),
                                 stay * 2, stay);
    events_.after(stay + up_to(session_timeout * 2), [this] { crowd_in(); });
}

// The ticket of this path is gone. Another program gets a node of the same name (a twin), as from
// servers that lost transactions and give a number twice. No session may delete that node.
void simulation::take_name(const std::string& path) {
    const auto name = path.substr(path.rfind('/') + 1);
    if (!working_ || one_in(2) || !protocol::ticket_name::parse(name))
        return;
    events_.after(up_to(20ms), [this, path] {
        ensemble_.twin(path, up_to(session_timeout / 2), [this, path](model_session whose) {
            if (!replaced_.contains(whose))
                reports_.push_back(path + " was deleted, though another program had made it");
        });
    });
}

void simulation::trace_server(std::size_t index, const std::string& text) {
    if (how_.traced)
        trace_.push_back(std::to_string(events_.now().time_since_epoch() / 1us) + "us server " +
                         std::to_string(index) + ' ' + text);
}

} // namespace turnstile::test
