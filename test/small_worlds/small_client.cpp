#include "small_client.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace turnstile::test {

using promises::happening;
using promises::stage;
using protocol::disconnect_reason;
using protocol::instant;
using protocol::ticket_id;

namespace {

// Of a delay of up to a beat, and of what is added to a back-off.
constexpr std::uint64_t one_draw = 40'000'000;

// Nobody would hear its answer, and nobody else is concerned.
bool is_idle_talk(const small_connection::to_server& message) {
    const auto asked = std::get_if<small_connection::ask>(&message);
    return asked && !small_server::may_change(asked->what);
}

} // namespace

small_client::small_client(std::size_t number, promises::judge& judge, protocol::settings options)
    : number_(number),
      judge_(judge),
      // The same draw for all and always, so that neither the session nor the past is told by it.
      machine_(
          std::move(options), [] { return one_draw; }, static_cast<protocol::port&>(*this),
          static_cast<protocol::listener&>(*this)) {}

// Where the machine asked for it, the connection is given up after the input.
template <class Input>
void small_client::give(instant now, Input what) {
    what(machine_);
    while (std::exchange(drop_asked_, false) && connection_) {
        leave_connection();
        machine_.on_disconnected(now, disconnect_reason::lost);
    }
}

digest& small_client::note(instant now, input what) {
    return history_.add(static_cast<std::uint64_t>(what))
        .add(static_cast<std::uint64_t>(now.time_since_epoch().count()));
}

void small_client::connect(instant now) {
    note(now, input::connect);
    give(now, [&](auto& m) { m.connect(now); });
}

void small_client::acquire(instant now, ticket_id id, const protocol::acquire_request& what) {
    note(now, input::acquire)
        .add(id)
        .add(what.path)
        .add(static_cast<std::uint64_t>(what.kind))
        .add(what.leases);
    if (what.limit)
        may_fail_.insert(id);
    ask(id, what);
    give(now, [&](auto& m) { m.acquire(now, id, what); });
}

void small_client::ask(ticket_id id, const protocol::acquire_request& what) {
    tickets_.push_back(id);
    const auto lock = judge_.lock_named(what.path);
    const auto all = judge_.locks()[lock].kind.all();
    see(id, {.what = happening::asks,
             .lock = lock,
             .takes = what.leases > 0                              ? what.leases
                      : what.kind == protocol::ticket_kind::shared ? promises::reader
                                                                   : all});
}

void small_client::acquire_parts(
    instant now, const std::vector<protocol::session_machine::one_of_several>& parts) {
    note(now, input::acquire).add(parts.size());
    for (const auto& [id, what] : parts) {
        history_.add(id).add(what.path).add(static_cast<std::uint64_t>(what.incarnation));
        parts_.insert(id);
        ask(id, what);
    }
    give(now, [&](auto& m) {
        if (parts.size() > 1)
            m.acquire(now, parts);
        else
            m.acquire(now, parts.front().id, parts.front().what);
    });
}

void small_client::look_up(instant now, protocol::inquiry_id id,
                           const protocol::acquire_request& what) {
    note(now, input::look_up).add(id).add(what.path);
    give(now, [&](auto& m) { m.look_up(now, id, what); });
}

void small_client::cancel_look_up(instant now, protocol::inquiry_id id) {
    note(now, input::cancel).add(id);
    give(now, [&](auto& m) { m.cancel(now, id); });
}

void small_client::cancel(instant now, ticket_id id) {
    note(now, input::cancel).add(id);
    may_fail_.insert(id);
    give(now, [&](auto& m) { m.cancel(now, id); });
    see(id, {.what = happening::cancelled});
}

void small_client::release(instant now, ticket_id id) {
    note(now, input::release).add(id);
    see(id, {.what = happening::releases});
    give(now, [&](auto& m) { m.release(now, id); });
}

void small_client::downgrade(instant now, ticket_id id) {
    note(now, input::downgrade).add(id);
    downgraded_.insert(id);
    see(id, {.what = happening::takes_other, .takes = promises::reader});
    give(now, [&](auto& m) { m.downgrade(now, id); });
}

void small_client::upgrade(instant now, ticket_id id, ticket_id writer) {
    note(now, input::upgrade).add(id);
    upgraded_.insert(id);
    give(now, [&](auto& m) { m.upgrade(now, id, writer); });
}

void small_client::close(instant now) {
    note(now, input::close);
    may_fail_.insert(tickets_.begin(), tickets_.end());
    give(now, [&](auto& m) { m.close(now); });
}

void small_client::cut(instant now) {
    note(now, input::cut);
    leave_connection();
    give(now, [&](auto& m) { m.on_disconnected(now, disconnect_reason::lost); });
}

void small_client::tick(instant now) {
    note(now, input::tick);
    give(now, [&](auto& m) { m.on_time(now); });
}

void small_client::hear(instant now) {
    const auto on = connection_;
    const auto message = std::move(on->down.front());
    on->down.pop_front();
    note(now, input::hear).add(message.index());
    if (const auto up = std::get_if<small_connection::connected>(&message)) {
        history_.add(static_cast<std::uint64_t>(up->session));
        give(now, [&](auto& m) {
            m.on_connected(now, {.session_id = up->session}, std::chrono::seconds{1});
        });
    } else if (const auto answer = std::get_if<small_connection::answer>(&message)) {
        history_.add(answer->id).add(answer->what);
        open_.erase(answer->id);
        give(now, [&](auto& m) { m.on_reply(now, answer->id, answer->what); });
    } else if (const auto event = std::get_if<small_connection::event>(&message)) {
        history_.add(event->path).add(static_cast<std::uint64_t>(event->what));
        give(now, [&](auto& m) { m.on_watch(now, event->what, event->path); });
    } else {
        const auto why = std::get<small_connection::end>(message).why;
        history_.add(static_cast<std::uint64_t>(why));
        leave_connection();
        give(now, [&](auto& m) { m.on_disconnected(now, why); });
    }
}

void small_client::leave_connection() {
    if (!connection_)
        return;
    connection_->open_here = false;
    connection_->down.clear();
    std::erase_if(connection_->up, is_idle_talk);
    open_.clear();
    std::erase_if(old_, [](const auto& on) { return !on->open_there || on->up.empty(); });
    old_.push_back(std::exchange(connection_, nullptr));
}

void small_client::forsake() {
    forsaken_ = session();
    for (const auto id : tickets_)
        if (stage_of(id) == stage::held)
            see(id, {.what = happening::excused});
}

std::vector<ticket_id> small_client::tickets() const {
    std::vector<ticket_id> result;
    std::copy_if(tickets_.begin(), tickets_.end(), std::back_inserter(result),
                 [&](ticket_id id) { return !parts_.contains(id) || stage_of(id) != stage::over; });
    return result;
}

bool small_client::has_any(stage which) const {
    return std::any_of(tickets_.begin(), tickets_.end(),
                       [&](ticket_id id) { return stage_of(id) == which; });
}

// Time says nothing here: it stands still.
void small_client::see(ticket_id id, promises::event what) {
    what.who = id;
    judge_.see(what);
}

void small_client::add_past_to(digest& sum) const {
    sum.add(history_.value()).add(forsaken_ == session() ? 1 : 0);
    auto all = old_;
    all.push_back(connection_);
    for (const auto& on : all) {
        if (!on || (!on->open_here && (!on->open_there || on->up.empty())))
            continue;
        sum.add(on->number).add(on->open_there ? 1 : 0).add(on->up.size());
        sum.add(static_cast<std::uint64_t>(on->session)).add(on->down.size());
        for (const auto& message : on->down) {
            sum.add(message.index());
            if (const auto answer = std::get_if<small_connection::answer>(&message))
                sum.add(answer->id).add(answer->what);
            else if (const auto event = std::get_if<small_connection::event>(&message))
                sum.add(event->path).add(static_cast<std::uint64_t>(event->what));
        }
    }
}

} // namespace turnstile::test
