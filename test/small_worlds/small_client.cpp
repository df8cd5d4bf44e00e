#include "small_client.hpp"

#include "machine_state.hpp"
#include "small_numbers.hpp"

#include "support/names.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace turnstile::test {

using promises::happening;
using promises::stage;
using protocol::disconnect_reason;
using protocol::failure;
using protocol::instant;
using protocol::ticket_id;

namespace {

// Of a delay of up to a beat, and of what is added to a back-off.
constexpr std::uint64_t one_draw = 40'000'000;

// Nobody would hear its answer, and nobody else is concerned.
bool is_idle_talk(const small_connection::to_server& message) {
    const auto asked = std::get_if<small_connection::ask>(&message);
    return asked &&
           (!protocol::is_write(asked->what.op) || asked->what.op == protocol::operation::check);
}

} // namespace

small_client::small_client(std::size_t number, promises::judge& judge, protocol::settings options)
    : number_(number),
      judge_(judge),
      machine_(
          std::move(options),
          // The same for all and always, so that neither the session nor the past is told by it.
          [] { return one_draw; }, *this, *this) {}

digest& small_client::note(instant now, input what) {
    return history_.add(static_cast<std::uint64_t>(what))
        .add(static_cast<std::uint64_t>(now.time_since_epoch().count()));
}

void small_client::acquire(instant now, ticket_id id, const protocol::acquire_request& what) {
    note(now, input::acquire).add(id).add(static_cast<std::uint64_t>(what.kind));
    tickets_.push_back(id);
    const auto lock = judge_.lock_named(what.path);
    const auto all = judge_.locks()[lock].kind.all();
    see(id, {.what = happening::asks,
             .lock = lock,
             .takes = what.kind == protocol::ticket_kind::shared ? promises::reader : all});
    machine_.acquire(now, id, what);
    after_input(now);
}

void small_client::cancel(instant now, ticket_id id) {
    note(now, input::cancel).add(id);
    cancelled_.insert(id);
    machine_.cancel(now, id);
    see(id, {.what = happening::cancelled});
    after_input(now);
}

void small_client::release(instant now, ticket_id id) {
    note(now, input::release).add(id);
    see(id, {.what = happening::releases});
    machine_.release(now, id);
    after_input(now);
}

void small_client::downgrade(instant now, ticket_id id) {
    note(now, input::downgrade).add(id);
    downgraded_.insert(id);
    see(id, {.what = happening::takes_other, .takes = promises::reader});
    machine_.downgrade(now, id);
    after_input(now);
}

void small_client::cut(instant now) {
    note(now, input::cut);
    leave_connection();
    machine_.on_disconnected(now, disconnect_reason::lost);
    after_input(now);
}

void small_client::tick(instant now) {
    note(now, input::tick);
    machine_.on_time(now);
    after_input(now);
}

void small_client::hear(instant now) {
    const auto on = connection_;
    const auto message = std::move(on->down.front());
    on->down.pop_front();
    note(now, input::hear).add(message.index());
    if (const auto up = std::get_if<small_connection::connected>(&message)) {
        history_.add(static_cast<std::uint64_t>(up->session));
        machine_.on_connected(now, {.session_id = up->session}, std::chrono::seconds{1});
    } else if (const auto answer = std::get_if<small_connection::answer>(&message)) {
        history_.add(answer->id).add(answer->what);
        open_.erase(answer->id);
        machine_.on_reply(now, answer->id, answer->what);
    } else if (const auto event = std::get_if<small_connection::event>(&message)) {
        history_.add(event->path).add(static_cast<std::uint64_t>(event->what));
        machine_.on_watch(now, event->what, event->path);
    } else {
        const auto why = std::get<small_connection::end>(message).why;
        history_.add(static_cast<std::uint64_t>(why));
        leave_connection();
        machine_.on_disconnected(now, why);
    }
    after_input(now);
}

void small_client::after_input(instant now) {
    if (!std::exchange(drop_asked_, false) || !connection_)
        return;
    leave_connection();
    machine_.on_disconnected(now, disconnect_reason::lost);
    after_input(now);
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

void small_client::connect(const protocol::connect_request& to) {
    connection_ = std::make_shared<small_connection>();
    connection_->number = small_numbers::connection(number_, ++connections_);
    connection_->up.emplace_back(small_connection::attach{to.session.session_id});
}

void small_client::send(protocol::request_id id, const protocol::request& what) {
    if (!connection_)
        return;
    open_.emplace(id, what);
    if (connection_->open_there)
        connection_->up.emplace_back(small_connection::ask{id, what});
}

void small_client::close_session() {
    if (connection_)
        connection_->up.emplace_back(small_connection::close_session{});
}

void small_client::forsake() {
    forsaken_ = session();
    for (const auto id : tickets_)
        if (stage_of(id) == stage::held)
            see(id, {.what = happening::excused});
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

void small_client::on_granted(ticket_id id, std::int64_t czxid) {
    if (forsaken_ == session())
        see(id, {.what = happening::excused});
    see(id, {.what = happening::granted, .token = {static_cast<std::uint64_t>(czxid), 0}});
}

void small_client::on_acquire_failed(ticket_id id, failure why, protocol::zookeeper_code) {
    see(id,
        {.what = happening::failed, .expected = cancelled_.contains(id), .reason = name_of(why)});
}

// Nothing refuses it here: it has no handles, and all rights.
void small_client::on_downgraded(ticket_id id, failure why, protocol::zookeeper_code) {
    if (why == failure::none || stage_of(id) != stage::held)
        return;
    see(id, {.what = happening::takes_other, .takes = judge_.lock_of(id).kind.all()});
}

void small_client::on_lost(ticket_id id, failure) { see(id, {.what = happening::lost}); }

void small_client::on_released(ticket_id id, failure, protocol::zookeeper_code) {
    see(id, {.what = happening::released});
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
