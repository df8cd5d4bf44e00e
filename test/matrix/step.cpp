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

// The steps of an exclusive ticket. `enqueue` is a create in a line, `list` a look whose neighbour
// is gone, `reconnect` the handshake of a session that has a ticket, and `keep` is `hold` with
// nobody in line, so that the session can be ended while its lock is believed in. `barrier` and
// `recover-...` find out what became of a create; `withdraw` is a cancel in that state.
constexpr std::array all{
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
    step{"wait", behind, waiting, trigger::time, {up, op::multi, ticket, op::check}},
    step{"reconnect", behind, waiting, trigger::cut, {up, op::connect, handshake}},
    step{"hold", alone, holding, trigger::time, {up, op::multi, ticket, op::check}},
    step{"keep",
         alone,
         holding,
         trigger::time,
         {up, op::multi, ticket, op::check},
         setting::nobody_else},
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

void step::aim(test::proxy_rule& rule, const std::string& path, std::int64_t session) const {
    rule.direction = frame.direction;
    rule.op = frame.op;
    rule.part = frame.part;
    rule.session = session;
    if (frame.what != handshake)
        rule.path = frame.what == ticket ? path + "/" : path;
}

std::span<const step> steps() { return all; }

} // namespace turnstile::matrix
