// SPDX-License-Identifier: BSL-1.0
// A user of several locks taken as one, in the simulation: the protocol's machine for it
// (multi_acquire), on the sessions of model clients.
#pragma once

#include "model/event_queue.hpp"
#include "model_client.hpp"

#include "promises/judge.hpp"
#include "protocol/multi/multi_acquire.hpp"
#include "support/names.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

using promises::happening;
using protocol::failure;

/// The judge sees each part as an acquire of its own lock, and the whole as an acquire of this
/// lock, which excludes nobody. The latter shows whether the whole completes once, and is served.
inline constexpr promises::lock_kind several{
    .name = "several", .places = ~promises::units{0}, .tokens_grow = false, .in_order = false};

/// Carries out what the machine says, as the library's multi_operation does: each part is taken on
/// its own session. It waits until all parts are granted or it has failed, then holds, and is lost
/// or released. All is lost with any part. `simulation` owns it.
class model_multi {
public:
    struct part {
        model_client* on = nullptr;
        protocol::acquire_request what{};
    };
    using keys = std::vector<std::optional<protocol::lock_key>>;
    struct surroundings {
        event_queue& events;
        promises::judge& judge;
        std::function<protocol::ticket_id()> next_id;
        std::function<void(const std::string&)> trace; // may be empty
        std::function<void(model_multi&)> on_held;     // all parts are granted
    };

    /// `known`: the keys of its lock paths, as far as the process remembers them.
    model_multi(const surroundings& around, std::vector<part> parts, keys known,
                std::optional<protocol::duration> limit)
        : around_(around),
          parts_(std::move(parts)),
          states_(parts_.size()),
          id_(around_.next_id()),
          machine_(std::move(known),
                   limit ? std::optional{around_.events.now() + *limit} : std::nullopt) {
        // By part: the number of its session, or 0 for the two kinds that are acquired alone.
        std::map<const model_client*, std::size_t> sessions;
        std::vector<std::size_t> groups;
        for (const auto& each : parts_) {
            const auto number = sessions.emplace(each.on, sessions.size() + 1).first->second;
            groups.push_back(each.what.single_node || each.what.permits > 0 ? 0 : number);
        }
        machine_.may_go_together(std::move(groups));
    }

    void start() {
        std::string text = "asks for";
        for (const auto& each : parts_)
            text += ' ' + each.what.path + " of " + each.on->name();
        note(text);
        see({.what = happening::asks, .lock = around_.judge.lock_named(several.name)});
        perform(machine_.start(around_.events.now()));
    }
    /// These two do nothing once it is over.
    void cancel() {
        if (stage() != promises::stage::waiting)
            return;
        note("cancel");
        cancelled_ = true;
        perform(machine_.cancel());
        see({.what = happening::cancelled});
    }
    void release() {
        if (stage() != promises::stage::held)
            return;
        note("release");
        see({.what = happening::releases, .awaited = false});
        release_all();
    }
    /// One of its processes has died, and calls nothing any more.
    void abandon() {
        if (stage() == promises::stage::over)
            return;
        note("is abandoned");
        see({.what = happening::dies});
        perform(machine_.cancel());
    }

    bool is_on(const model_client& session) const {
        return std::any_of(parts_.begin(), parts_.end(),
                           [&](const auto& each) { return each.on == &session; });
    }
    bool is_waiting() const { return stage() == promises::stage::waiting; }
    /// The keys of the lock paths, once all parts were granted.
    const keys& granted_keys() const { return machine_.keys(); }
    const std::vector<part>& parts() const { return parts_; }

private:
    using machine = protocol::multi_acquire;

    struct part_state {
        protocol::ticket_id id = 0;       // its last acquire; 0: none yet
        protocol::inquiry_id look_up = 0; // its last look-up
    };

    // The machine's answers to an event are actions. perform() carries them out on the clients.
    // Their answers come to look_up()'s handler and on_part(), which give them to the machine.

    void perform(const machine::actions& todo) {
        for (std::size_t next = 0; next < todo.size();)
            if (todo[next].what == machine::step::acquire)
                next += acquire(todo, next);
            else
                perform(todo[next++]);
    }
    /// Carries out any action but an acquire.
    void perform(const machine::action& what) {
        using enum machine::step;
        switch (what.what) {
        case look_up:
            return this->look_up(what);
        case acquire: // acquire() carries these out
            return;
        case cancel:
            return cancel_part(what.part);
        case release:
            return release_part(what.part);
        case granted:
            return hold();
        case failed: // the judge has seen whether the part's reason was expected
            return fail(reason_, true);
        case duplicate:
            return fail("duplicate", false);
        case unstable:
            return fail("unstable", false);
        case cancelled:
            return fail("cancelled", cancelled_);
        }
    }
    /// Begins one acquire, or all of one transaction. Returns how many actions these were.
    std::size_t acquire(const machine::actions& todo, std::size_t first) {
        auto& on = *parts_[todo[first].part].on;
        std::vector<model_client::part> together;
        for (auto next = first; next < todo.size(); ++next) {
            const auto which = todo[next].part;
            auto what = parts_[which].what;
            what.incarnation = todo[next].key.czxid;
            what.limit = todo[next].limit;
            what.later_part = todo[next].later_part;
            const auto id = states_[which].id = around_.next_id();
            together.push_back(
                {.id = id, .what = what, .told = [this, which, id](happening news, failure why) {
                     on_part(which, id, news, why);
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
    void look_up(const machine::action& what) {
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
    /// Ends a part's look-up, or its acquire: at most one of them is open.
    void cancel_part(std::size_t which) {
        auto& on = *parts_[which].on;
        on.give_up_look_up(states_[which].look_up);
        if (states_[which].id != 0)
            on.give_up(states_[which].id);
    }
    void release_part(std::size_t which) { parts_[which].on->release(states_[which].id); }
    /// Releases in reverse order, so that the next one who takes the locks in order finds all free.
    void release_all() {
        for (auto each = machine_.order().rbegin(); each != machine_.order().rend(); ++each)
            release_part(*each);
    }
    /// The process of this part has died, and begins nothing.
    void refuse(std::size_t which) {
        around_.events.after({}, [this, which] { on_part_failed(which, failure::session_closed); });
    }
    /// The acquire `id` of this part was granted, has failed or was lost.
    void on_part(std::size_t which, protocol::ticket_id id, happening news, failure why) {
        if (news == happening::granted)
            perform(machine_.on_granted(around_.events.now(), which));
        else if (news == happening::failed)
            on_part_failed(which, why);
        else if (id == states_[which].id && stage() == promises::stage::held) {
            note("is lost");
            see({.what = happening::lost});
            release_all();
        } // else hold() finds the loss, if it comes to that
    }
    void on_part_failed(std::size_t which, failure why) {
        const auto now = around_.events.now();
        reason_ = name_of(why);
        if (why == failure::path_renewed || why == failure::path_unstable)
            return perform(machine_.on_renewed(now, which));
        perform(why == failure::taken_back || why == failure::cancelled
                    ? machine_.on_taken_back(now, which)
                    : machine_.on_failed(now, which));
    }
    /// The machine has all parts. But one may have been lost while the others were waited for.
    void hold() {
        for (std::size_t which = 0; which < parts_.size(); ++which)
            if (parts_[which].on->dead() ||
                around_.judge.stage_of(states_[which].id) != promises::stage::held)
                return perform(machine_.on_lost(around_.events.now(), which));
        note("is granted");
        see({.what = happening::granted, .token = around_.judge.of(states_.front().id).token});
        around_.on_held(*this);
    }
    void fail(const std::string& reason, bool expected) {
        note("ends: " + reason);
        if (stage() == promises::stage::waiting) // else it was abandoned
            see({.what = happening::failed, .expected = expected, .reason = reason});
    }
    promises::stage stage() const { return around_.judge.stage_of(id_); }
    void see(promises::event what) {
        what.who = id_;
        what.when = around_.events.now().time_since_epoch();
        around_.judge.see(what);
    }
    void note(const std::string& text) {
        if (around_.trace)
            around_.trace("several " + std::to_string(id_) + ' ' + text);
    }

    surroundings around_;
    std::vector<part> parts_;
    std::vector<part_state> states_; // of the parts, in the same order
    protocol::ticket_id id_;         // by which the judge knows the whole
    std::string reason_;             // why the last part failed
    bool cancelled_ = false;         // by its user
    machine machine_;
};

} // namespace turnstile::test
