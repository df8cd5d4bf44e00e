// SPDX-License-Identifier: BSL-1.0
// The faults of a simulated run.
#include "simulation.hpp"

#include <array>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;

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

// A request that is sent anew after a cut may be cut off as well, before its answer.
void simulation::cut(model_client& client) {
    client.link().cut();
    if (plan_.repeated_cuts && working_ && !one_in(4))
        events_.after(up_to(40ms), [this, &client] { cut(client); });
}

void simulation::harm_a_server() {
    auto* const leader = ensemble_.leader();
    auto& victim = leader && one_in(2) ? *leader : ensemble_.server(ensemble_.below(8));
    const auto index = victim.index();
    const auto heal_later = [this](protocol::duration longest) {
        events_.after(up_to(longest), [this] { ensemble_.heal(); });
    };
    switch (ensemble_.below(5)) {
    case 4:
        if (plan_.partitioned_holders && plan_.ensemble && one_in(2))
            partition_a_holder();
        break;
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
            const auto how = ensemble_.below(3); // one direction, the other, both
            trace_server(index, "is cut off, way " + std::to_string(how));
            ensemble_.partition(index, how != 0, how != 1);
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
    }
}

void simulation::throttle() {
    if (!working_)
        return;
    auto& victim = ensemble_.server(ensemble_.below(8));
    trace_server(victim.index(), "has too much to do");
    victim.throttle_until(events_.now() + up_to(session_timeout / 4));
    events_.after(up_to(200ms), [this] { throttle(); });
}

// With the ways there and back, an answer takes about as long as a holder is ready to wait.
void simulation::slow_down() {
    auto& victim = ensemble_.server(ensemble_.below(8));
    const auto pace = session_timeout / 16 + up_to(session_timeout / 80);
    trace_server(victim.index(), "takes " + std::to_string(pace / 1ms) + " ms for each answer");
    victim.slow_down_until(end_of_faults, pace);
}

// Cuts the holder's server off from the others, and the holder off from other servers: its belief
// rests on what it had been told before.
void simulation::partition_a_holder() {
    auto& victim = any_client();
    if (plan_.newly_proved)
        await_proof(victim, victim.deadline());
    else
        isolate_with_server(victim);
}

// Waits for a proof, and then leaves the holder alone: at that instant the servers know least of
// what it believes in.
void simulation::await_proof(model_client& holder, protocol::instant before) {
    if (holder.dead() || !holder.holds_anything() || !working_)
        return;
    if (holder.deadline() != before)
        return isolate_with_server(holder);
    events_.after(1ms, [this, &holder, before] { await_proof(holder, before); });
}

void simulation::isolate_with_server(model_client& victim) {
    const auto index = victim.link().server();
    if (!index || !victim.holds_anything())
        return;
    const auto how = ensemble_.below(3);
    trace_server(*index, "is left with a holder, way " + std::to_string(how));
    ensemble_.partition(*index, how != 0, how != 1);
    alone_until_[&victim] = events_.now() + session_timeout * 2;
    victim.link().lock_out_until(alone_until_[&victim]);
    if (plan_.holder_returns) {
        victim.link().let_back_to(*index);
        events_.after(up_to(session_timeout / 2), [&victim] { victim.link().cut(); });
    }
    events_.after(one_in(2) ? up_to(session_timeout * 3 / 2) : session_timeout * 2,
                  [this] { ensemble_.heal(); });
}

// An acquire that gives up while its session looks again leaves its place to one that has not
// looked yet.
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

// With the process its several locks are gone, even if other parts are on other processes.
void simulation::crash(model_client& client) {
    client.crash();
    for (const auto& each : multis_)
        if (each->is_on(client))
            each->abandon();
}

void simulation::act_from_outside() {
    switch (ensemble_.below(4)) {
    case 3:
        if (plan_.foreign_tickets)
            add_foreign_ticket();
        break;
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
    }
}

void simulation::delete_ticket(const std::string& path) {
    const auto token = ensemble_.truth().read({.op = protocol::operation::exists, .path = path});
    condemned_[path] = token.stat;
    ensemble_.remove(path);
    if (!plan_.client_pauses)
        await_deletion(path, token.stat.czxid);
}

// Deletes a waiting ticket of any age: it may be new, or just about to be let in.
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

// Notes the deletion when it is carried out. A leader that its majority has left does so when that
// is back, or never.
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

// Deletes a node of the semaphore, and the others soon after it. A node with children stays.
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
    const std::string end = !plan_.curator_names ? "lock-" : one_in(2) ? "__READ__" : "__WRIT__";
    const auto prefix = path + (one_in(2) ? "/x-" : "/turn-2-") + end; // of no path: `have` makes 1
    ensemble_.foreign_ticket(prefix, up_to(150ms), up_to(session_timeout / 2));
}

// Readers of another program stay for a while: so many that a ticket behind them counts as far.
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

// Servers that lose transactions give a number twice: what stands there then is not ours to delete.
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
