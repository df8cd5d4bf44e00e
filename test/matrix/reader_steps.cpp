#include "step.hpp"

#include "step_words.hpp"

#include <array>

namespace turnstile::matrix {
namespace {

using namespace words;

constexpr frame_pattern make_reader{up, op::multi, lock_path, op::set_data};
constexpr frame_pattern check_reader{up, op::multi, ticket, op::check};

// A reader between two writers, one in a run of readers, and one beside another session's.
constexpr step between(step what) { return by({.unlucky = role::reader}, what); }
constexpr step in_run(step what) {
    return by({.unlucky = role::reader, .last = role::reader}, what);
}
constexpr step beside(step what) {
    return by({.first = role::reader, .unlucky = role::reader}, what);
}

// The steps of a reader. It asks for both tickets that may stand right before it: `look` is the
// first get of the two, `look-reader` the second one. `hand-over` and `run` are the watch event of
// a writer's release, with a writer and a reader behind. `mark` says that no writer stands below,
// and `follow` reads that. The rest is that of any ticket, but that the release is a plain delete.
constexpr std::array of_reader{
    between({"enqueue", behind, connected, trigger::acquire, make_reader}),
    between({"look", behind, connected, trigger::acquire, {up, op::get_data, ticket}}),
    between({"look-reader", behind, connected, trigger::acquire, {up, op::get_data, shared}}),
    between({"list",
             behind,
             connected,
             trigger::acquire,
             {up, op::get_children2, lock_path},
             setting::gap}),
    beside({"beside-enqueue", behind, connected, trigger::acquire, make_reader}),
    beside({"beside-look", behind, connected, trigger::acquire, {up, op::get_data, ticket}}),
    beside({"beside-read", behind, connected, trigger::acquire, {up, op::get_data, shared}}),
    beside(
        {"beside-list", behind, connected, trigger::acquire, {up, op::get_children2, lock_path}}),
    between(
        {"mark", alone, connected, trigger::acquire, {up, op::set_data, ticket}, setting::crowd}),
    beside({"follow",
            behind,
            connected,
            trigger::acquire,
            {up, op::get_data, shared},
            setting::crowd}),
    between({"hand-over",
             behind,
             waiting,
             trigger::predecessor_release,
             {down, op::watch_event, ticket}}),
    in_run({"run", behind, waiting, trigger::predecessor_release, {down, op::watch_event, ticket}}),
    between({"wait", behind, waiting, trigger::time, check_reader}),
    between({"reconnect", behind, waiting, trigger::cut, {up, op::connect, handshake}}),
    between({"hold", alone, holding, trigger::time, check_reader}),
    between({"keep", alone, holding, trigger::time, check_reader, setting::nobody_else}),
    between({"reconnect-reading", alone, holding, trigger::cut, {up, op::connect, handshake}}),
    between({"release", alone, holding, trigger::release, {up, op::remove, ticket}}),
    between(
        {"barrier", behind, unresolved, trigger::way_back, {up, op::multi, lock_path, op::check}}),
    between({"recover-list",
             behind,
             unresolved,
             trigger::way_back,
             {up, op::get_children2, lock_path}}),
    between({"recover-read", behind, unresolved, trigger::way_back, {up, op::get_data, shared}}),
    between({"cancel", behind, waiting, trigger::cancel, {up, op::remove, ticket}}),
    between({"cancel-create", behind, connected, trigger::acquire, make_reader, setting::plain,
             second_thought::cancel}),
    between({"withdraw", behind, unresolved, trigger::cancel, {up, op::remove, ticket}}),
    between({"close", alone, holding, trigger::close, {up, op::close_session, handshake}}),
    between({"close-create", behind, connected, trigger::acquire, make_reader, setting::plain,
             second_thought::close}),
};

// The steps of a writer that waits for readers. `watch` is the end of a reader, `watch-list` what
// the writer asks then. `mark` is the event of a reader that has marked its ticket, which hands
// nothing over; `mark-look` is the get after it.
constexpr cast among_readers{.first = role::reader, .last = role::reader};
constexpr cast behind_reader{.last = role::reader};
constexpr std::array of_writer{
    by(among_readers,
       {"list", behind, connected, trigger::acquire, {up, op::get_children2, lock_path}}),
    by(among_readers, {"look", behind, connected, trigger::acquire, {up, op::get_data, shared}}),
    by(among_readers,
       {"watch", behind, waiting, trigger::predecessor_release, {down, op::watch_event, shared}}),
    by(among_readers, {"watch-list",
                       behind,
                       waiting,
                       trigger::predecessor_release,
                       {up, op::get_children2, lock_path}}),
    by(behind_reader, {"mark",
                       behind,
                       waiting,
                       trigger::predecessor_release,
                       {down, op::watch_event, shared},
                       setting::behind_last}),
    by(behind_reader, {"mark-look",
                       behind,
                       waiting,
                       trigger::predecessor_release,
                       {up, op::get_data, shared},
                       setting::behind_last}),
};

} // namespace

std::span<const step> steps_of_reader() { return of_reader; }
std::span<const step> steps_of_writer() { return of_writer; }

} // namespace turnstile::matrix
