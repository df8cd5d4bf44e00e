#include "step.hpp"

#include "step_words.hpp"

#include <array>

namespace turnstile::matrix {
namespace {

using namespace words;

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

} // namespace

std::span<const step> steps_of_semaphore() { return of_semaphore; }

} // namespace turnstile::matrix
