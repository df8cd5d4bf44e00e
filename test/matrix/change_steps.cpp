#include "step.hpp"

#include "step_words.hpp"

#include <array>

namespace turnstile::matrix {
namespace {

using namespace words;

// The steps of a writer that becomes a reader, while a writer waits behind it. `find` and
// `find-new` ask which of its two names is there.
constexpr frame_pattern change_name{up, op::multi, ticket, op::create};
constexpr step after_change(std::string_view name, frame_pattern frame) {
    return after_lost(name, alone, frame, change_name, trigger::downgrade);
}
constexpr std::array of_downgrade{
    step{"downgrade", alone, holding, trigger::downgrade, change_name},
    after_change("find", {up, op::get_data, ticket}),
    after_change("find-new", {up, op::get_data, downgraded}),
    step{"hold-reader", alone, reading, trigger::time, {up, op::multi, downgraded, op::check}},
    step{"release-reader", alone, reading, trigger::release, {up, op::remove, downgraded}},
};

// The steps of a reader that becomes a writer, or stays a reader. `ask` is the question whether it
// is alone, `ask-in-vain` the same where a writer waits, `upgrade` the transaction that decides,
// and `leave` the end of the reader's ticket. `give-up` takes back a ticket that was overtaken;
// `seek`, `seek-read` and `take-back` do so after an unknown outcome.
constexpr cast reader_alone{.unlucky = role::reader};
constexpr frame_pattern ask{up, op::multi, ticket, op::check, op::set_data};
constexpr frame_pattern make_writer{up, op::multi, ticket, op::check, op::create};
constexpr frame_pattern take_back{up, op::remove, exclusive};
constexpr step upgrade(std::string_view name, frame_pattern frame, setting scenery) {
    return by(reader_alone, {name, alone, holding, trigger::upgrade, frame, scenery});
}
constexpr step after_upgrade(std::string_view name, frame_pattern frame) {
    return by(reader_alone, after_lost(name, alone, frame, make_writer, trigger::upgrade));
}
constexpr step as_writer(std::string_view name, trigger cause, op part) {
    return by(reader_alone, {name, alone, writing, cause, {up, op::multi, exclusive, part}});
}
constexpr std::array of_upgrade{
    upgrade("ask", ask, setting::nobody_else),
    upgrade("ask-in-vain", ask, setting::plain),
    upgrade("upgrade", make_writer, setting::nobody_else),
    upgrade("leave", {up, op::remove, shared}, setting::nobody_else),
    upgrade("give-up", take_back, setting::overtaken),
    after_upgrade("seek", {up, op::get_children2, lock_path}),
    after_upgrade("seek-read", {up, op::get_data, exclusive}),
    after_upgrade("take-back", take_back),
    as_writer("hold-writer", trigger::time, op::check),
    as_writer("release-writer", trigger::release, op::set_data),
};

} // namespace

std::span<const step> steps_of_downgrade() { return of_downgrade; }
std::span<const step> steps_of_upgrade() { return of_upgrade; }

} // namespace turnstile::matrix
