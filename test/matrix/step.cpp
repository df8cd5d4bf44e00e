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

// The steps of an exclusive ticket. `enqueue` is a create in a line, `list` a look whose neighbour
// is gone, `reconnect` the handshake of a session that has a ticket, and `keep` is `hold` with
// nobody in line, so that the session can be ended while its lock is believed in. `barrier` and
// `recover-...` find out what became of a create; `withdraw` is a cancel in that state.
constexpr frame_pattern check_ticket{up, op::multi, ticket, op::check};
constexpr std::array of_ticket{
    step{"connect", behind, unconnected, trigger::acquire, {up, op::connect, handshake}},
    step{"auth", behind, unconnected, trigger::acquire, {up, op::auth, handshake}},
    step{"directory", alone, connected, trigger::acquire, {up, op::create_container, lock_path}},
    step{"create",
         alone,
         connected,
         trigger::acquire,
         {up, op::multi, lock_path, op::set_data},
         setting::empty_path},
    step{"enqueue", behind, connected, trigger::acquire, {up, op::multi, lock_path, op::set_data}},
    step{"look", behind, connected, trigger::acquire, {up, op::get_data, ticket}},
    step{"list",
         behind,
         connected,
         trigger::acquire,
         {up, op::get_children2, lock_path},
         setting::gap},
    step{"watch", behind, waiting, trigger::predecessor_release, {down, op::watch_event, ticket}},
    step{"wait", behind, waiting, trigger::time, check_ticket},
    step{"reconnect", behind, waiting, trigger::cut, {up, op::connect, handshake}},
    step{"hold", alone, holding, trigger::time, check_ticket},
    step{"keep", alone, holding, trigger::time, check_ticket, setting::nobody_else},
    step{"release", alone, holding, trigger::release, {up, op::multi, ticket, op::set_data}},
    step{"barrier", behind, unresolved, trigger::way_back, {up, op::multi, lock_path, op::check}},
    step{"recover-list", behind, unresolved, trigger::way_back, {up, op::get_children2, lock_path}},
    step{"recover-read", behind, unresolved, trigger::way_back, {up, op::get_data, ticket}},
    step{"cancel", behind, waiting, trigger::cancel, {up, op::remove, ticket}},
    step{"cancel-create",
         behind,
         connected,
         trigger::acquire,
         {up, op::multi, lock_path, op::set_data},
         setting::plain,
         second_thought::cancel},
    step{"withdraw", behind, unresolved, trigger::cancel, {up, op::remove, ticket}},
    step{"close", alone, holding, trigger::close, {up, op::close_session, handshake}},
    step{"close-create",
         behind,
         connected,
         trigger::acquire,
         {up, op::multi, lock_path, op::set_data},
         setting::plain,
         second_thought::close},
};

// The steps of a writer that becomes a reader, while a writer waits behind it. `find` and
// `find-new` ask which of its two names is there.
constexpr frame_pattern change_name{up, op::multi, ticket, op::create};
constexpr step after_change(std::string_view name, frame_pattern frame) {
    return after_lost(name, alone, frame, change_name, trigger::downgrade);
}
constexpr std::array of_downgrade{
    step{"downgrade", alone, holding, trigger::downgrade, change_name},
    after_change("find", {up, op::get_data, ticket}),
    after_change("find-new", {up, op::get_data, reader}),
    step{"hold-reader", alone, reading, trigger::time, {up, op::multi, reader, op::check}},
    step{"release-reader", alone, reading, trigger::release, {up, op::remove, reader}},
};

// The steps of a semaphore that are not those of its line, whose tickets are exclusive ones; each
// acquires all of its leases. `make` makes its nodes, `learn` reads the limit. `try` takes leases
// that may be free, `give-back` those that were not. `look` lists the leases, `take` takes them in
// line. `sweep` and `adopt` find out what became of that, and `confirm` makes sure of it.
constexpr frame_pattern take_leases{up, op::multi, limit, op::check};
constexpr frame_pattern check_lease{up, op::multi, lease, op::check};
constexpr step after_take(std::string_view name, frame_pattern frame) {
    return after_lost(name, behind, frame, take_leases, trigger::predecessor_release);
}
constexpr std::array of_semaphore{
    step{"make", alone, connected, trigger::acquire, {up, op::multi, lock_path, op::check}},
    step{"learn", behind, connected, trigger::acquire, {up, op::get_data, limit}},
    step{"free", alone, connected, trigger::acquire, take_leases, setting::empty_path},
    step{"try", behind, connected, trigger::acquire, take_leases},
    step{"give-back", behind, connected, trigger::acquire, {up, op::multi, lease, op::remove}},
    step{"enqueue", behind, connected, trigger::acquire, {up, op::multi, queue, op::set_data}},
    step{"look", behind, connected, trigger::acquire, {up, op::get_children2, leases}},
    step{"watch", behind, waiting, trigger::predecessor_release, {down, op::watch_event, leases}},
    step{"take", behind, waiting, trigger::predecessor_release, take_leases},
    step{"wait", behind, waiting, trigger::time, {up, op::multi, place, op::check}},
    step{"reconnect", behind, waiting, trigger::cut, {up, op::connect, handshake}},
    step{"hold", alone, holding, trigger::time, check_lease},
    step{"keep", alone, holding, trigger::time, check_lease, setting::nobody_else},
    step{"release", alone, holding, trigger::release, {up, op::multi, lease, op::remove}},
    after_take("sweep", {up, op::get_children2, leases}),
    after_take("adopt", {up, op::get_data, lease}),
    after_take("confirm", check_lease),
    step{"cancel", behind, waiting, trigger::cancel, {up, op::remove, place}},
    step{"cancel-take", behind, waiting, trigger::predecessor_release, take_leases, setting::plain,
         second_thought::cancel},
    step{"close", alone, holding, trigger::close, {up, op::close_session, handshake}},
};

// The steps of a lock of one node. `retry` is the create of one that has waited. `examine` finds
// out what became of a create.
constexpr frame_pattern create_holder{up, op::multi, lock_path, op::set_data};
constexpr std::array of_single_node{
    step{"create", alone, connected, trigger::acquire, create_holder, setting::empty_path},
    step{"compete", behind, connected, trigger::acquire, create_holder},
    step{"ask", behind, connected, trigger::acquire, {up, op::get_data, ticket}},
    step{"watch", behind, waiting, trigger::predecessor_release, {down, op::watch_event, ticket}},
    step{"retry", behind, waiting, trigger::predecessor_release, create_holder},
    step{"reconnect", behind, waiting, trigger::cut, {up, op::connect, handshake}},
    step{"hold", alone, holding, trigger::time, check_ticket},
    step{"keep", alone, holding, trigger::time, check_ticket, setting::nobody_else},
    step{"release", alone, holding, trigger::release, {up, op::multi, lock_path, op::check}},
    step{"examine",
         alone,
         unresolved,
         trigger::way_back,
         {up, op::exists, lock_path},
         setting::empty_path},
    step{"examine-read",
         alone,
         unresolved,
         trigger::way_back,
         {up, op::get_data, ticket},
         setting::empty_path},
    step{"cancel-create", alone, connected, trigger::acquire, create_holder, setting::empty_path,
         second_thought::cancel},
    step{"close", alone, holding, trigger::close, {up, op::close_session, handshake}},
};

std::string_view below(frame_pattern::about what) {
    switch (what) {
    case ticket:
        return "/";
    case limit:
        return "/limit";
    case queue:
        return "/queue";
    case place:
        return "/queue/";
    case leases:
        return "/leases";
    case lease:
        return "/leases/";
    default:
        return "";
    }
}

} // namespace

void frame_pattern::aim(test::proxy_rule& rule, const std::string& path,
                        std::int64_t session) const {
    rule.direction = direction;
    rule.op = op;
    rule.part = part;
    rule.session = session;
    if (what == reader)
        rule.path = "-down-read-lock-"; // the session has one lock path
    else if (what != handshake)
        rule.path = path + std::string{below(what)};
}

std::span<const step> steps_of_ticket() { return of_ticket; }
std::span<const step> steps_of_downgrade() { return of_downgrade; }
std::span<const step> steps_of_semaphore() { return of_semaphore; }
std::span<const step> steps_of_single_node() { return of_single_node; }

} // namespace turnstile::matrix
