#include "brittle_client.hpp"

#include <memory>
#include <new>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using promises::happening;
using protocol::disconnect_reason;
using protocol::instant;
using protocol::ticket_id;

namespace {

protocol::settings options() {
    protocol::settings result;
    result.timeout = 1s;
    result.tick = 250ms;
    result.queue_rest = 3s;
    return result;
}

// Where the real port and listener would allocate.
void allocate_something() {
    const auto something = std::make_unique<int>(0);
    static_cast<void>(something);
}

} // namespace

brittle_client::brittle_client(small_server& server, promises::judge& judge,
                               allocation_fault& fault)
    : server_(server), judge_(judge), fault_(fault) {
    auto settings = options();
    auto random = [next = std::uint64_t{0}]() mutable { return ++next; };
    protocol::port& own_port = *this;
    protocol::listener& events = *this;
    try {
        const allocation_fault::window open(fault_);
        machine_.emplace(std::move(settings), std::move(random), own_port, events);
    } catch (const std::bad_alloc&) {
        break_down();
    }
}

void brittle_client::give(instant now, const input& what) {
    if (!machine_)
        return;
    try {
        const allocation_fault::window open(fault_);
        what(*machine_);
    } catch (const std::bad_alloc&) {
        return break_down();
    }
    if (!std::exchange(drop_asked_, false) || !connection_)
        return;
    leave_connection();
    give(now, [now](machine& m) { m.on_disconnected(now, disconnect_reason::lost); });
}

template <class Effect>
void brittle_client::fallible(Effect effect) {
    allocate_something();
    {
        const allocation_fault::truce own;
        effect();
    }
    allocate_something();
}

void brittle_client::break_down() {
    for (const auto id : tickets_)
        see(id, {.what = happening::dies});
    machine_.reset();
    leave_connection();
    server_.kill(session_);
}

void brittle_client::leave_connection() {
    if (!connection_)
        return;
    connection_->open_here = false;
    connection_ = nullptr;
}

std::optional<instant> brittle_client::next_timer() const {
    return machine_ ? machine_->next_timer() : std::nullopt;
}

void brittle_client::connect(instant now) {
    give(now, [=](machine& m) { m.connect(now); });
}

void brittle_client::acquire(instant now, ticket_id id, const std::string& path,
                             std::optional<protocol::duration> limit) {
    tickets_.push_back(id);
    see(id, {.what = happening::asks, .lock = judge_.lock_named(path)});
    const protocol::acquire_request what{.path = path, .limit = limit};
    give(now, [&](machine& m) { m.acquire(now, id, what); });
}

void brittle_client::cancel(instant now, ticket_id id) {
    give(now, [=](machine& m) { m.cancel(now, id); });
}

void brittle_client::release(instant now, ticket_id id) {
    if (!machine_ || judge_.stage_of(id) != promises::stage::held)
        return;
    see(id, {.what = happening::releases});
    give(now, [=](machine& m) { m.release(now, id); });
}

void brittle_client::close(instant now) {
    give(now, [=](machine& m) { m.close(now); });
}

void brittle_client::cut(instant now) {
    leave_connection();
    give(now, [=](machine& m) { m.on_disconnected(now, disconnect_reason::lost); });
}

void brittle_client::expire(instant now) {
    for (const auto id : tickets_)
        see(id, {.what = happening::excused});
    server_.kill(session_);
    cut(now);
}

void brittle_client::tick(instant now) {
    give(now, [=](machine& m) { m.on_time(now); });
}

void brittle_client::hear(instant now) {
    const auto on = connection_;
    const auto message = std::move(on->down.front());
    on->down.pop_front();
    if (const auto up = std::get_if<small_connection::connected>(&message)) {
        session_ = up->session;
        give(now, [&](machine& m) { m.on_connected(now, {.session_id = session_}, 1s); });
    } else if (const auto answer = std::get_if<small_connection::answer>(&message)) {
        give(now, [&](machine& m) { m.on_reply(now, answer->id, answer->what); });
    } else if (const auto event = std::get_if<small_connection::event>(&message)) {
        give(now, [&](machine& m) { m.on_watch(now, event->what, event->path); });
    } else {
        const auto why = std::get<small_connection::end>(message).why;
        leave_connection();
        give(now, [&](machine& m) { m.on_disconnected(now, why); });
    }
}

void brittle_client::connect(const protocol::connect_request& to) {
    fallible([&] {
        connection_ = std::make_shared<small_connection>();
        connection_->up.emplace_back(small_connection::attach{to.session.session_id});
    });
}

void brittle_client::send(protocol::request_id id, const protocol::request& what) {
    fallible([&] {
        if (connection_)
            connection_->up.emplace_back(small_connection::ask{id, what});
    });
}

void brittle_client::drop() {
    fallible([&] { drop_asked_ = true; });
}

void brittle_client::close_session() {
    fallible([&] {
        if (connection_)
            connection_->up.emplace_back(small_connection::close_session{});
    });
}

void brittle_client::on_phase(protocol::session_phase) {
    fallible([] {});
}
void brittle_client::on_connect_result(protocol::failure) {
    fallible([] {});
}
void brittle_client::on_note(protocol::note_level, std::string_view) {}

void brittle_client::on_closed() {
    fallible([&] { closed_ = true; });
}

void brittle_client::see(ticket_id id, promises::event what) {
    what.who = id;
    judge_.see(what);
}

void brittle_client::on_granted(ticket_id id, std::int64_t czxid) {
    fallible([&] {
        see(id, {.what = happening::granted, .token = {static_cast<std::uint64_t>(czxid), 0}});
    });
}

void brittle_client::on_acquire_failed(ticket_id id, protocol::failure, protocol::zookeeper_code) {
    fallible([&] { see(id, {.what = happening::failed}); });
}

void brittle_client::on_lost(ticket_id id, protocol::failure) {
    fallible([&] { see(id, {.what = happening::lost}); });
}

void brittle_client::on_released(ticket_id id, protocol::failure, protocol::zookeeper_code) {
    fallible([&] { see(id, {.what = happening::released}); });
}

} // namespace turnstile::test
