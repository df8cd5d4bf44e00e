#include "step.hpp"

#include "step_words.hpp"

#include <array>

namespace turnstile::matrix {
namespace {

using namespace words;

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

} // namespace

std::span<const step> steps_of_ticket() { return of_ticket; }

} // namespace turnstile::matrix
