// SPDX-License-Identifier: BSL-1.0
#include "step.hpp"

#include <array>

namespace turnstile::matrix {
namespace {

using test::op;
using enum standing;
using enum frame_pattern::about;

constexpr bool alone = false;
constexpr bool behind = true;
constexpr auto up = test::direction::to_server;
constexpr auto down = test::direction::to_client;

/// The unlucky one finds out what became of a request, whose answer was lost.
constexpr step after_lost(std::string_view name, bool behind_holder, frame_pattern frame,
                          frame_pattern lost, trigger lost_by) {
    return {.name = name,
            .behind_holder = behind_holder,
            .from = unresolved,
            .cause = trigger::way_back,
            .frame = frame,
            .lost = lost,
            .lost_by = lost_by};
}

/// The same step with others in it.
constexpr step by(roles who, step what) {
    what.who = who;
    return what;
}

constexpr frame_pattern create{up, op::multi, lock_path, op::set_data};
constexpr frame_pattern check_ticket{up, op::multi, ticket, op::check};
constexpr frame_pattern event_of_ticket{down, op::watch_event, ticket};
constexpr frame_pattern handshake_again{up, op::connect, handshake};

// `reconnect` is the handshake of a session that has a ticket. `keep` is a beat with nobody in the
// queue, so that the session can be ended while its lock is believed in. `recover-read` finds out
// what became of a create.
constexpr std::array of_ticket{
    step{"connect", behind, unconnected, trigger::acquire, handshake_again},
    step{"enqueue", behind, connected, trigger::acquire, create},
    step{"watch", behind, waiting, trigger::predecessor_release, event_of_ticket},
    step{"reconnect", behind, waiting, trigger::cut, handshake_again},
    step{"keep", alone, holding, trigger::time, check_ticket, setting::nobody_else},
    step{"release", alone, holding, trigger::release, {up, op::multi, ticket, op::set_data}},
    step{"recover-read", behind, unresolved, trigger::way_back, {up, op::get_data, ticket}},
    step{"cancel-create", behind, connected, trigger::acquire, create, setting::plain, true},
    step{"close", alone, holding, trigger::close, {up, op::close_session, handshake}},
};

// A reader between two writers.
constexpr step between(step what) { return by({.unlucky = role::reader}, what); }
constexpr std::array of_reader{
    between({"enqueue", behind, connected, trigger::acquire, create}),
    between({"hand-over", behind, waiting, trigger::predecessor_release, event_of_ticket}),
    between({"reconnect-reading", alone, holding, trigger::cut, handshake_again}),
    between({"release", alone, holding, trigger::release, {up, op::multi, ticket, op::remove}}),
    between({"recover-read", behind, unresolved, trigger::way_back, {up, op::get_data, shared}}),
};

// A writer that waits for readers. `watch` is the end of a reader, `watch-list` its question then.
constexpr roles among_readers{.first = role::reader, .last = role::reader};
constexpr std::array of_writer{
    by(among_readers,
       {"watch", behind, waiting, trigger::predecessor_release, {down, op::watch_event, shared}}),
    by(among_readers, {"watch-list",
                       behind,
                       waiting,
                       trigger::predecessor_release,
                       {up, op::get_children2, lock_path}}),
};

// While a writer waits. `find-new` asks whether the node has its new name.
constexpr frame_pattern change_name{up, op::multi, ticket, op::create};
constexpr std::array of_downgrade{
    step{"downgrade", alone, holding, trigger::downgrade, change_name},
    after_lost("find-new", alone, {up, op::get_data, downgraded}, change_name, trigger::downgrade),
};

// `upgrade` is the transaction that decides, `leave` the end of the reader's ticket, and `seek` a
// listing after an unknown outcome.
constexpr roles reader_alone{.unlucky = role::reader};
constexpr frame_pattern make_writer{up, op::multi, ticket, op::check, op::create};
constexpr std::array of_upgrade{
    by(reader_alone,
       {"upgrade", alone, holding, trigger::upgrade, make_writer, setting::nobody_else}),
    by(reader_alone, {"leave",
                      alone,
                      holding,
                      trigger::upgrade,
                      {up, op::multi, shared, op::remove},
                      setting::nobody_else}),
    by(reader_alone, after_lost("seek", alone, {up, op::get_children2, lock_path}, make_writer,
                                trigger::upgrade)),
};

// Each acquire takes all permits. `make` makes its nodes, `take` takes permits as the first in the
// queue, and `adopt` finds out what became of that.
constexpr frame_pattern take_permits{up, op::multi, limit, op::check};
constexpr std::array of_semaphore{
    step{"make", alone, connected, trigger::acquire, {up, op::multi, lock_path, op::check}},
    step{"watch", behind, waiting, trigger::predecessor_release, {down, op::watch_event, leases}},
    step{"take", behind, waiting, trigger::predecessor_release, take_permits},
    step{"release", alone, holding, trigger::release, {up, op::multi, lease, op::remove}},
    after_lost("adopt", behind, {up, op::get_data, lease}, take_permits,
               trigger::predecessor_release),
};

// `retry` is the create of one that has waited. `examine-read` finds out what became of a create.
constexpr std::array of_single_node{
    step{"create", alone, connected, trigger::acquire, create, setting::empty_path},
    step{"watch", behind, waiting, trigger::predecessor_release, event_of_ticket},
    step{"retry", behind, waiting, trigger::predecessor_release, create},
    step{"release", alone, holding, trigger::release, {up, op::multi, lock_path, op::check}},
    step{"examine-read",
         alone,
         unresolved,
         trigger::way_back,
         {up, op::get_data, ticket},
         setting::empty_path},
};

// Somebody holds the second of three parts. So the unlucky one is the owner of the first part,
// waits for the second one, and takes the ticket of the third one back. `enqueue` is the
// transaction that makes their tickets; after an unknown outcome `recover-remove` deletes them.
// `third` is the acquire of the part that comes after the wait.
constexpr step at_second(step what) { return by({.first = role::part}, what); }
constexpr frame_pattern make_tickets{up, op::multi, first_path, op::set_data};
constexpr step acquire_third = at_second({"third",
                                          behind,
                                          waiting,
                                          trigger::predecessor_release,
                                          {up, op::multi, third_path, op::set_data}});
constexpr std::array of_several{
    at_second({"enqueue", behind, connected, trigger::acquire, make_tickets}),
    at_second({"watch",
               behind,
               waiting,
               trigger::predecessor_release,
               {down, op::watch_event, second_ticket}}),
    acquire_third,
    at_second(after_lost("recover-remove", behind, {up, op::multi, first_ticket, op::remove},
                         make_tickets, trigger::acquire)),
};

// The second lock is another session's, so each is acquired alone. The first and the third one are
// of the session that is hit.
constexpr std::array of_two_sessions{
    at_second({"reconnect", behind, waiting, trigger::cut, handshake_again}),
    acquire_third,
};

} // namespace

std::span<const step> steps_of_ticket() { return of_ticket; }
std::span<const step> steps_of_reader() { return of_reader; }
std::span<const step> steps_of_writer() { return of_writer; }
std::span<const step> steps_of_downgrade() { return of_downgrade; }
std::span<const step> steps_of_upgrade() { return of_upgrade; }
std::span<const step> steps_of_semaphore() { return of_semaphore; }
std::span<const step> steps_of_single_node() { return of_single_node; }
std::span<const step> steps_of_several() { return of_several; }
std::span<const step> steps_of_two_sessions() { return of_two_sessions; }

} // namespace turnstile::matrix
