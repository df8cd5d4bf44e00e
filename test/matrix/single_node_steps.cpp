#include "step.hpp"

#include "step_words.hpp"

#include <array>

namespace turnstile::matrix {
namespace {

using namespace words;

// The steps of a lock of one node. `retry` is the create of one that has waited. `examine` finds
// out what became of a create.
constexpr frame_pattern check_holder{up, op::multi, ticket, op::check};
constexpr frame_pattern create_holder{up, op::multi, lock_path, op::set_data};
constexpr std::array of_single_node{
    step{"create", alone, connected, trigger::acquire, create_holder, setting::empty_path},
    step{"compete", behind, connected, trigger::acquire, create_holder},
    step{"ask", behind, connected, trigger::acquire, {up, op::get_data, ticket}},
    step{"watch", behind, waiting, trigger::predecessor_release, {down, op::watch_event, ticket}},
    step{"retry", behind, waiting, trigger::predecessor_release, create_holder},
    step{"reconnect", behind, waiting, trigger::cut, {up, op::connect, handshake}},
    step{"hold", alone, holding, trigger::time, check_holder},
    step{"keep", alone, holding, trigger::time, check_holder, setting::nobody_else},
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

} // namespace

std::span<const step> steps_of_single_node() { return of_single_node; }

} // namespace turnstile::matrix
