#include "model_network.hpp"

#include "names.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::disconnect_reason;

namespace {

constexpr protocol::duration longest_latency = 15ms;

} // namespace

void model_link::connect(const protocol::connect_request& to) {
    if (wire_) // dropped, and its end not told yet
        wire_->open_here = false;
    wire_ = std::make_shared<wire>();
    wire_->id = ++network_.last_connection_;
    if (!network_.door_open() && network_.below(2) == 0)
        return; // ignored: the client gives up by itself
    up(wire_, [this, on = wire_, wanted = to.session.session_id] { shake_hands(on, wanted); });
}

void model_link::shake_hands(const std::shared_ptr<wire>& on, model_server::session_id wanted) {
    auto& server = network_.server_;
    if (!network_.door_open())
        return down(on, [this] { cut(); });
    if (wanted != 0 && !server.alive(wanted))
        return down(on, [this] { cut(disconnect_reason::expired); });
    const auto session = wanted == 0 ? server.open_session() : wanted;
    if (wanted == 0)
        network_.expire_later(session);
    // Whatever still comes on an older connection of the session is refused from here on.
    if (const auto old = network_.attached_.find(session); old != network_.attached_.end()) {
        old->second.wire->open_there = false;
        server.end_connection(old->second.wire->id);
        network_.connections_.erase(old->second.wire->id);
    }
    on->session = session;
    on->open_there = true;
    network_.attached_[session] = {on, this};
    network_.connections_[on->id] = {on, this};
    network_.touch(session);
    down(on, [this, session] { events_.connected(session, network_.timeout_); });
}

void model_link::up(const std::shared_ptr<wire>& on, std::function<void()> arrived) {
    if (on->hung_up)
        return;
    on->last_up =
        std::max(on->last_up + 1us, network_.events_.now() + network_.up_to(longest_latency));
    network_.events_.at(on->last_up, [this, on, arrived = std::move(arrived)] {
        if (!on->hung_up && (!on->discard_from || network_.events_.now() < *on->discard_from))
            arrived();
    });
}

void model_link::down(const std::shared_ptr<wire>& on, std::function<void()> arrived) {
    if (on->hung_down)
        return;
    on->last_down =
        std::max(on->last_down + 1us, network_.events_.now() + network_.up_to(longest_latency));
    network_.events_.at(on->last_down, [on, arrived = std::move(arrived)] {
        if (on->open_here && !on->hung_down)
            arrived();
    });
}

void model_link::send(protocol::request_id id, const protocol::request& what) {
    if (!wire_)
        return; // answered by the end of the connection
    up(wire_, [this, on = wire_, id, what] {
        if (!network_.server_.alive(on->session))
            return;
        if (!on->open_here && network_.creates_held_back_)
            return execute_late(on, what);
        if (!on->open_there)
            return;
        network_.touch(on->session);
        // Events of the request itself come before its reply, as on a real connection.
        const auto answer = network_.server_.execute(on->session, on->id, what);
        events_.trace("did " + text_of(what) + " -> " +
                      std::to_string(static_cast<int>(answer.code)) + ' ' + answer.path);
        down(on, [this, id, answer] { events_.replied(id, answer); });
    });
}

void model_link::execute_late(const std::shared_ptr<wire>& on, const protocol::request& what) {
    if (what.op != protocol::operation::enqueue)
        return;
    network_.events_.after(network_.up_to(network_.timeout_ * 3 / 4), [this, on, what] {
        if (!network_.server_.alive(on->session))
            return;
        const auto answer = network_.server_.execute(on->session, on->id, what);
        events_.trace("did late " + text_of(what) + " -> " + answer.path);
    });
}

void model_link::drop() {
    if (!wire_)
        return;
    network_.events_.after(0ns, [this, on = wire_] {
        if (wire_ == on)
            cut();
    });
}

void model_link::close_session() {
    if (!wire_)
        return;
    up(wire_, [this, on = wire_] {
        if (!on->open_there)
            return;
        network_.server_.end_session(on->session);
        down(on, [this] { cut(disconnect_reason::closed); });
    });
}

void model_link::cut(disconnect_reason why) {
    if (!wire_)
        return;
    const auto on = std::exchange(wire_, nullptr);
    on->open_here = false;
    const auto now = network_.events_.now();
    on->discard_from = network_.below(3) == 0 ? now : now + network_.up_to(longest_latency * 2);
    events_.disconnected(why);
}

void model_link::hang(bool requests, bool replies) {
    if (!wire_)
        return;
    wire_->hung_up |= requests;
    wire_->hung_down |= replies;
}

model_network::model_network(event_queue& events, std::uint64_t seed, protocol::duration timeout)
    : events_(events),
      random_(seed),
      timeout_(timeout),
      server_([this](model_server::connection_id connection, protocol::watch_event event,
                     const std::string& path) {
          const auto found = connections_.find(connection);
          if (found == connections_.end())
              return;
          const auto link = found->second.link;
          link->down(found->second.wire, [link, event, path] { link->events_.fired(event, path); });
      }) {}

protocol::duration model_network::up_to(protocol::duration longest) {
    return protocol::duration{static_cast<protocol::duration::rep>(
        below(static_cast<std::uint64_t>(longest.count()) + 1))};
}

void model_network::kill(model_server::session_id session) {
    server_.end_session(session);
    const auto found = attached_.find(session);
    if (found == attached_.end())
        return;
    const auto [wire, link] = found->second;
    events_.after(up_to(longest_latency), [wire = wire, link = link] {
        if (link->wire_ == wire)
            link->cut();
    });
}

void model_network::touch(model_server::session_id session) { heard_[session] = events_.now(); }

void model_network::expire_later(model_server::session_id session) {
    touch(session);
    const auto look = [this, session](const auto& self) -> void {
        if (!server_.alive(session))
            return;
        const auto due = heard_[session] + timeout_;
        if (due <= events_.now())
            return kill(session);
        events_.at(due, [self] { self(self); });
    };
    events_.after(timeout_, [look] { look(look); });
}

} // namespace turnstile::test
