#include "step.hpp"

#include "step_words.hpp"

#include <array>

namespace turnstile::matrix {
namespace {

using namespace words;

constexpr frame_pattern make_tickets{up, op::multi, first_path, op::set_data};
constexpr frame_pattern check_any{up, op::multi, ticket, op::check};

// Somebody holds the second of three parts. So the unlucky one is the owner of the first part,
// waits for the second one, and takes the ticket of the third one back.
constexpr step at_second(step what) { return by({.first = role::part}, what); }
constexpr step after_lost_company(std::string_view name, frame_pattern frame) {
    return at_second(after_lost(name, behind, frame, make_tickets, trigger::acquire));
}

// The steps of three locks of one session, taken as one. `directory` makes the paths, `keys` asks
// for their order, and `take` and `enqueue` are the transaction. `third` is the acquire of the part
// that comes after the wait. The release begins with the last part. After a transaction of unknown
// outcome `recover-list` and `recover-read` find its tickets, and `recover-remove` deletes them. A
// cancel deletes the ticket that waits, and releases the part that is held.
constexpr std::array of_several{
    step{"directory", alone, connected, trigger::acquire, {up, op::create_container, second_path}},
    at_second({"keys", behind, connected, trigger::acquire, {up, op::get_data, second_path}}),
    step{"take", alone, connected, trigger::acquire, make_tickets},
    at_second({"enqueue", behind, connected, trigger::acquire, make_tickets}),
    at_second({"take-back", behind, connected, trigger::acquire, {up, op::remove, third_ticket}}),
    at_second({"look", behind, connected, trigger::acquire, {up, op::get_data, second_ticket}}),
    at_second({"watch",
               behind,
               waiting,
               trigger::predecessor_release,
               {down, op::watch_event, second_ticket}}),
    at_second({"third",
               behind,
               waiting,
               trigger::predecessor_release,
               {up, op::multi, third_path, op::set_data}}),
    at_second({"wait", behind, waiting, trigger::time, check_any}),
    at_second({"reconnect", behind, waiting, trigger::cut, {up, op::connect, handshake}}),
    step{"hold", alone, holding, trigger::time, check_any},
    step{"keep", alone, holding, trigger::time, check_any, setting::nobody_else},
    step{"release", alone, holding, trigger::release, {up, op::multi, third_ticket, op::set_data}},
    step{"release-first",
         alone,
         holding,
         trigger::release,
         {up, op::multi, first_ticket, op::set_data}},
    after_lost_company("barrier", {up, op::multi, lock_path, op::check}),
    after_lost_company("recover-list", {up, op::get_children2, first_path}),
    after_lost_company("recover-read", {up, op::get_data, first_ticket}),
    after_lost_company("recover-remove", {up, op::remove, first_ticket}),
    at_second({"cancel", behind, waiting, trigger::cancel, {up, op::remove, second_ticket}}),
    at_second({"cancel-held",
               behind,
               waiting,
               trigger::cancel,
               {up, op::multi, first_ticket, op::set_data}}),
    at_second({"cancel-create", behind, connected, trigger::acquire, make_tickets, setting::plain,
               second_thought::cancel}),
    step{"close", alone, holding, trigger::close, {up, op::close_session, handshake}},
    at_second({"close-create", behind, connected, trigger::acquire, make_tickets, setting::plain,
               second_thought::close}),
};

// The second lock is another session's, so each is acquired alone. The first and the third one are
// of the session that is hit.
constexpr frame_pattern check_first{up, op::multi, first_ticket, op::check};
constexpr std::array of_two_sessions{
    at_second({"wait", behind, waiting, trigger::time, check_first}),
    at_second({"reconnect", behind, waiting, trigger::cut, {up, op::connect, handshake}}),
    at_second({"third",
               behind,
               waiting,
               trigger::predecessor_release,
               {up, op::multi, third_path, op::set_data}}),
    step{"hold", alone, holding, trigger::time, check_any},
    step{"keep", alone, holding, trigger::time, check_any, setting::nobody_else},
    step{"release", alone, holding, trigger::release, {up, op::multi, third_ticket, op::set_data}},
    step{"release-first",
         alone,
         holding,
         trigger::release,
         {up, op::multi, first_ticket, op::set_data}},
    at_second({"cancel-held",
               behind,
               waiting,
               trigger::cancel,
               {up, op::multi, first_ticket, op::set_data}}),
};

// The second part is a semaphore, all of whose leases are wanted. `make` makes it, and `learn` asks
// for its key, with its limit. `free` takes leases that are free, and `take` takes them in line;
// `adopt` finds out what became of that. `third` is the acquire of the part behind it. A beat
// checks the leases as well, a release gives them back, and a cancel deletes the ticket that waits
// there.
constexpr frame_pattern take_second{up, op::multi, second_limit, op::check};
constexpr std::array of_leases_between{
    at_second(
        {"make", alone, connected, trigger::acquire, {up, op::multi, second_path, op::check}}),
    at_second({"learn", behind, connected, trigger::acquire, {up, op::get_data, second_limit}}),
    at_second({"free", alone, connected, trigger::acquire, take_second}),
    at_second({"take", behind, waiting, trigger::predecessor_release, take_second}),
    at_second(after_lost("adopt", behind, {up, op::get_data, second_lease}, take_second,
                         trigger::predecessor_release)),
    at_second({"third",
               behind,
               waiting,
               trigger::predecessor_release,
               {up, op::multi, third_path, op::set_data}}),
    at_second({"keep",
               alone,
               holding,
               trigger::time,
               {up, op::multi, second_lease, op::check},
               setting::nobody_else}),
    at_second(
        {"release", alone, holding, trigger::release, {up, op::multi, second_lease, op::remove}}),
    at_second({"cancel", behind, waiting, trigger::cancel, {up, op::remove, second_place}}),
};

} // namespace

std::span<const step> steps_of_several() { return of_several; }
std::span<const step> steps_of_two_sessions() { return of_two_sessions; }
std::span<const step> steps_of_leases_between() { return of_leases_between; }

} // namespace turnstile::matrix
