#include "small_several.hpp"

#include "small_numbers.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using promises::happening;
using promises::stage;
using protocol::failure;
using protocol::ticket_id;

small_several::small_several(const surroundings& around)
    : around_(around), name_("client " + std::to_string(around.client)) {
    around_.on.tell(
        {.part =
             [this](ticket_id id, happening what, failure why) {
                 around_.events.after({}, [told = told_.at(id), what, why] { told(what, why); });
             },
         .key =
             [this](protocol::inquiry_id id, failure why, const protocol::lock_key& key) {
                 around_.events.after(
                     {}, [then = look_ups_.extract(id).mapped(), why, key] { then(why, key); });
             }});
}

ticket_id small_several::next_id() {
    return small_numbers::further(around_.client, asked_++, around_.clients);
}

void small_several::note(choice which, ticket_id id) {
    history_.add(static_cast<std::uint64_t>(which)).add(id);
}

void small_several::start(ticket_id id, const std::vector<protocol::acquire_request>& wishes) {
    note(choice::start, id);
    std::vector<model_multi::part> parts;
    model_multi::keys known;
    for (const auto& each : wishes) {
        parts.push_back({.on = this, .what = each});
        const auto key = keys_.find(each.path);
        known.push_back(key == keys_.end() ? std::nullopt : std::optional{key->second});
    }
    const model_multi::surroundings around{
        .events = around_.events,
        .judge = around_.judge,
        .next_id =
            [this, whole = id]() mutable { // which comes first
                const auto given = std::exchange(whole, 0);
                return given != 0 ? given : next_id();
            },
        .trace = {},
        .on_held = [this](const model_multi& which) { learn(which); }};
    auto added = std::make_unique<model_multi>(around, std::move(parts), std::move(known),
                                               std::nullopt, around_.planted);
    multis_.emplace(id, std::move(added)).first->second->start();
}

void small_several::cancel(ticket_id id) {
    note(choice::cancel, id);
    multis_.at(id)->cancel();
}

void small_several::release_all(ticket_id id) {
    note(choice::release, id);
    multis_.at(id)->release();
}

void small_several::learn(const model_multi& which) {
    for (std::size_t next = 0; next < which.parts().size(); ++next)
        keys_[which.parts()[next].what.path] = *which.found()[next];
}

void small_several::begin(const std::vector<part>& together) {
    std::vector<protocol::session_machine::one_of_several> wishes;
    for (const auto& each : together) {
        told_.emplace(each.id, each.told);
        wishes.push_back({.id = each.id, .what = each.what});
    }
    around_.on.acquire_parts(around_.now, wishes);
}

protocol::inquiry_id small_several::look_up(const protocol::acquire_request& what,
                                            key_listener then) {
    const auto id = next_id();
    look_ups_.emplace(id, std::move(then));
    around_.on.look_up(around_.now, id, what);
    return id;
}

void small_several::give_up(ticket_id id) {
    if (around_.judge.stage_of(id) == stage::waiting)
        around_.on.cancel(around_.now, id);
}

void small_several::give_up_look_up(protocol::inquiry_id id) {
    if (look_ups_.contains(id))
        around_.on.cancel_look_up(around_.now, id);
}

void small_several::release(ticket_id id) {
    if (around_.judge.stage_of(id) == stage::held)
        around_.on.release(around_.now, id);
}

bool small_several::waits_for_a_part(const model_multi& which) const {
    return std::any_of(which.states().begin(), which.states().end(), [this](const auto& each) {
        return look_ups_.contains(each.look_up) ||
               around_.judge.stage_of(each.id) == stage::waiting;
    });
}

bool small_several::finds_forgotten() const {
    return std::any_of(multis_.begin(), multis_.end(), [this](const auto& entry) {
        return entry.second->waits() && !waits_for_a_part(*entry.second);
    });
}

void small_several::describe(state_words& to) const {
    to.part("remembered keys");
    to.number(keys_.size());
    for (const auto& [path, key] : keys_) {
        to.text(path);
        to.zxid(key.czxid);
    }
    for (const auto& [id, each] : multis_) {
        to.part("several locks");
        to.ticket(id);
        to.choice(around_.judge.stage_of(id));
        describe(*each, to);
    }
}

// Once it is over, and no part has an answer to give, nothing happens here any more.
void small_several::describe(const model_multi& which, state_words& to) const {
    const auto [end, phase, keys, states, open, groups, order, gained] =
        which.machine_state().snapshot();
    const bool matters = around_.judge.stage_of(which.id()) != stage::over || open > 0;
    to.flag(matters);
    if (!matters)
        return;
    to.choice(phase);
    to.number(open);
    to.flag(gained);
    to.number(order.size());
    for (const auto each : order)
        to.number(each);
    for (std::size_t next = 0; next < keys.size(); ++next) {
        to.text(which.parts()[next].what.path);
        to.flag(keys[next].has_value());
        if (keys[next])
            to.zxid(keys[next]->czxid);
        to.choice(states[next]);
        to.number(groups[next]);
        const auto& [id, look_up] = which.states()[next];
        to.ticket(around_.judge.stage_of(id) == stage::over ? 0 : id);
        to.ticket(look_ups_.contains(look_up) ? look_up : 0);
    }
}

} // namespace turnstile::test
