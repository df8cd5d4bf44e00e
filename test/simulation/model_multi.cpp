// SPDX-License-Identifier: BSL-1.0
#include "model_multi.hpp"

#include "support/names.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace turnstile::test {

using promises::happening;
using protocol::failure;

model_multi::model_multi(const surroundings& around, std::vector<part> parts, keys known,
                         std::optional<protocol::duration> limit)
    : around_(around),
      parts_(std::move(parts)),
      states_(parts_.size()),
      id_(around_.next_id()),
      machine_(std::move(known),
               limit ? std::optional{around_.events.now() + *limit} : std::nullopt) {
    std::map<const model_client*, std::size_t> sessions;
    std::vector<std::size_t> groups;
    for (const auto& each : parts_) {
        const auto number = sessions.emplace(each.on, sessions.size() + 1).first->second;
        groups.push_back(each.what.single_node || each.what.permits > 0 ? 0 : number);
    }
    machine_.may_go_together(std::move(groups));
}

void model_multi::start() {
    std::string text = "asks for";
    for (const auto& each : parts_)
        text += ' ' + each.what.path + " of " + each.on->name();
    note(text);
    see({.what = happening::asks, .lock = around_.judge.lock_named(several.name)});
    perform(machine_.start(around_.events.now()));
}

void model_multi::cancel() {
    if (stage() != promises::stage::waiting)
        return;
    note("cancel");
    cancelled_ = true;
    perform(machine_.cancel());
    see({.what = happening::cancelled});
}

void model_multi::release() {
    if (stage() != promises::stage::held)
        return;
    note("release");
    see({.what = happening::releases, .awaited = false});
    release_all();
}

void model_multi::abandon() {
    if (stage() == promises::stage::over)
        return;
    note("is abandoned");
    see({.what = happening::dies});
    perform(machine_.cancel());
}

bool model_multi::is_on(const model_client& session) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const auto& each) { return each.on == &session; });
}

void model_multi::perform(const machine::actions& todo) {
    for (std::size_t next = 0; next < todo.size();)
        if (todo[next].what == machine::step::acquire)
            next += acquire(todo, next);
        else
            perform(todo[next++]);
}

void model_multi::perform(const machine::action& what) {
    using enum machine::step;
    switch (what.what) {
    case look_up:
        return this->look_up(what);
    case acquire: // not one by one
        return;
    case cancel:
        return cancel_part(what.part);
    case release:
        return release_part(what.part);
    case granted:
        return finish();
    case failed: // for a reason that the part was held to
        return end(reason_, true);
    case duplicate:
        return end("duplicate", false);
    case unstable:
        return end("unstable", false);
    case cancelled:
        return end("cancelled", cancelled_);
    }
}

std::size_t model_multi::acquire(const machine::actions& todo, std::size_t first) {
    auto& on = *parts_[todo[first].part].on;
    std::vector<model_client::part> together;
    for (auto next = first; next < todo.size(); ++next) {
        const auto which = todo[next].part;
        auto what = parts_[which].what;
        what.incarnation = todo[next].key.czxid;
        what.limit = todo[next].limit;
        what.later_part = todo[next].later;
        const auto id = states_[which].id = around_.next_id();
        together.push_back(
            {.id = id, .what = what, .told = [this, which, id](happening it, failure why) {
                 on_part(which, id, it, why);
             }});
        if (!todo[next].with_next)
            break;
    }
    if (!on.dead()) {
        on.begin(together);
    } else {
        for (std::size_t next = 0; next < together.size(); ++next)
            refuse(todo[first + next].part);
    }
    return together.size();
}

void model_multi::look_up(const machine::action& what) {
    auto& on = *parts_[what.part].on;
    if (on.dead())
        return refuse(what.part);
    auto wish = parts_[what.part].what;
    wish.limit = what.limit;
    states_[what.part].look_up =
        on.look_up(wish, [this, which = what.part](failure why, const auto& key) {
            reason_ = name_of(why);
            const auto now = around_.events.now();
            perform(why == failure::none ? machine_.on_found(now, which, key)
                                         : machine_.on_failed(now, which));
        });
}

// The machine waits for at most one of a part's look-up and its acquire: the other one is over.
void model_multi::cancel_part(std::size_t which) {
    auto& on = *parts_[which].on;
    on.give_up_look_up(states_[which].look_up);
    if (states_[which].id != 0)
        on.give_up(states_[which].id);
}

void model_multi::release_part(std::size_t which) { parts_[which].on->release(states_[which].id); }

// Releases in reverse order, so that the next one who takes the locks in order finds all free.
void model_multi::release_all() {
    for (auto each = machine_.order().rbegin(); each != machine_.order().rend(); ++each)
        release_part(*each);
}

// The part's session is gone.
void model_multi::refuse(std::size_t which) {
    around_.events.after({}, [this, which] { on_part_failed(which, failure::session_closed); });
}

void model_multi::on_part(std::size_t which, protocol::ticket_id id, happening what, failure why) {
    if (what == happening::granted)
        perform(machine_.on_granted(around_.events.now(), which));
    else if (what == happening::failed)
        on_part_failed(which, why);
    else if (id == states_[which].id && stage() == promises::stage::held) {
        note("is lost");
        see({.what = happening::lost});
        release_all();
    } // else whoever acquires looks at all parts in the end
}

void model_multi::on_part_failed(std::size_t which, failure why) {
    const auto now = around_.events.now();
    reason_ = name_of(why);
    if (why == failure::path_renewed || why == failure::path_unstable)
        return perform(machine_.on_renewed(now, which));
    perform(why == failure::taken_back || why == failure::cancelled
                ? machine_.on_taken_back(now, which)
                : machine_.on_failed(now, which));
}

// A part may have been lost while the others were waited for.
void model_multi::finish() {
    for (std::size_t which = 0; which < parts_.size(); ++which)
        if (parts_[which].on->dead() ||
            around_.judge.stage_of(states_[which].id) != promises::stage::held)
            return perform(machine_.on_lost(around_.events.now(), which));
    note("is granted");
    see({.what = happening::granted, .token = around_.judge.of(states_.front().id).token});
    around_.on_held(*this);
}

void model_multi::end(const std::string& reason, bool expected) {
    note("ends: " + reason);
    if (stage() == promises::stage::waiting) // else it was abandoned
        see({.what = happening::failed, .expected = expected, .reason = reason});
}

void model_multi::see(promises::event what) {
    what.who = id_;
    what.when = around_.events.now().time_since_epoch();
    around_.judge.see(what);
}

} // namespace turnstile::test
