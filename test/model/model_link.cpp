// SPDX-License-Identifier: BSL-1.0
#include "model_link.hpp"

#include "model_ensemble.hpp"

#include "support/names.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::disconnect_reason;
using protocol::instant;

/// One connection: a stream of requests up to the server, and one of replies down to the client.
/// Each keeps its order, and can turn into a black hole. Events of the queue share it, so that
/// requests may arrive after the client's end is closed.
class model_link::wire : public model_caller, public std::enable_shared_from_this<wire> {
public:
    wire(model_link& owner, model_connection number, model_replica& other_end)
        : id(number), server(other_end), link_(owner), ensemble_(owner.ensemble_) {}

    /// Sends to the server: `arrives` runs there, as soon as it works.
    void send_up(std::function<void()> arrives) {
        if (swallows_requests_)
            return;
        last_up_ =
            std::max(last_up_ + 1us, ensemble_.now() + ensemble_.up_to(ensemble_.client_latency()));
        ensemble_.events().at(last_up_, [self = shared_from_this(), arrives = std::move(arrives)] {
            if (!self->swallows_requests_ &&
                (!self->discard_from_ || self->ensemble_.now() < *self->discard_from_))
                self->server.run(arrives);
        });
    }

    void connected(model_session session) override {
        session_ = session;
        met_at_ = server.applied();
        send_down([this, session] { link_.events_.connected(session, ensemble_.timeout()); });
    }
    void replied(protocol::request_id to, const protocol::reply& answer) override {
        send_down([this, to, answer] {
            if (link_.events_.trace)
                link_.events_.trace("hears #" + std::to_string(to) + ' ' +
                                    std::to_string(static_cast<int>(answer.code)) + ' ' +
                                    answer.path);
            link_.events_.replied(to, answer);
        });
    }
    void fired(protocol::watch_event event, const std::string& path) override {
        send_down([this, event, path] { link_.events_.fired(event, path); });
    }
    void hung_up(disconnect_reason why) override {
        send_down([this, why] { link_.end_connection(why); });
    }

    /// Closes the client's end. For a while requests on their way arrive, then the server hears of
    /// the end.
    void close() {
        is_open_ = false;
        closed_at_ = ensemble_.now();
        discard_from_ = ensemble_.below(3) == 0
                            ? ensemble_.now()
                            : ensemble_.now() + ensemble_.up_to(ensemble_.client_latency() * 2);
        if (!swallows_requests_)
            ensemble_.events().at(std::max(last_up_, *discard_from_), [self = shared_from_this()] {
                self->server.run([self] { self->server.hang_up(self->id); });
            });
    }
    void black_hole(bool requests, bool replies) {
        swallows_requests_ |= requests;
        swallows_replies_ |= replies;
    }
    bool is_open() const { return is_open_; }
    instant closed_at() const { return closed_at_; }
    model_session session() const { return session_; }
    std::int64_t met_at() const { return met_at_; }

    const model_connection id;
    model_replica& server;

private:
    /// Sends to the client, at the server's pace: `arrives` runs there, unless its end is closed.
    void send_down(std::function<void()> arrives) {
        if (swallows_replies_)
            return;
        last_down_ = std::max(last_down_ + 1us, ensemble_.now() + server.pace() +
                                                    ensemble_.up_to(ensemble_.client_latency()));
        ensemble_.events().at(last_down_,
                              [self = shared_from_this(), arrives = std::move(arrives)] {
                                  if (self->is_open_ && !self->swallows_replies_)
                                      arrives();
                              });
    }

    model_link& link_;
    model_ensemble& ensemble_;
    model_session session_ = 0;
    std::int64_t met_at_ = 0;
    bool is_open_ = true; // the client's end
    bool swallows_requests_ = false;
    bool swallows_replies_ = false;
    instant closed_at_{};                 // when the client's end was closed
    std::optional<instant> discard_from_; // requests that arrive then or later are lost
    instant last_up_{};                   // the last arrival of a request
    instant last_down_{};                 // the last arrival of a reply
};

void model_link::connect(const protocol::connect_request& to) {
    if (wire_) {
        events_.report("connects before the end of its last connection was told");
        std::exchange(wire_, nullptr)->close();
    }
    wire_ = std::make_shared<wire>(*this, ensemble_.next_connection(), ensemble_.server(to.server));
    if (events_.trace)
        events_.trace("tries server " + std::to_string(wire_->server.index()));
    const bool locked_out =
        ensemble_.now() < locked_out_until_ && let_back_to_ != wire_->server.index();
    const bool shut_out = !ensemble_.is_reachable() || locked_out;
    if (shut_out && ensemble_.below(2) == 0)
        return; // no answer comes: the client gives up by itself
    const auto opened = wire_;
    if (shut_out || opened->server.part() == model_replica::role::down) // the kernel refuses
        return opened->hung_up(disconnect_reason::lost);
    if (ensemble_.refuses(opened->server.index()))
        return opened->hung_up(disconnect_reason::auth_failed);
    opened->send_up([opened, wanted = to.session.session_id] {
        opened->server.attach(opened->id, opened, wanted);
    });
}

std::optional<std::size_t> model_link::server() const {
    return wire_ ? std::optional{wire_->server.index()} : std::nullopt;
}

std::int64_t model_link::met_at() const { return wire_ ? wire_->met_at() : 0; }

void model_link::send(protocol::request_id id, const protocol::request& what) {
    if (!wire_)
        return; // the end of the connection was told, and answers it
    if (events_.trace)
        events_.trace("sends #" + std::to_string(id) + ' ' + text_of(what) + " to " +
                      std::to_string(wire_->server.index()));
    wire_->send_up([sender = wire_, &ensemble = ensemble_, id, what] {
        if (!sender->is_open() && ensemble.holds(what))
            ensemble.execute_late(sender->session(), what, sender->closed_at());
        else
            sender->server.receive(sender->id, id, what);
    });
}

void model_link::drop() {
    if (!wire_)
        return;
    ensemble_.events().after(0ns, [this, dropped = wire_] {
        if (wire_ == dropped)
            end_connection();
    });
}

void model_link::close_session() {
    if (wire_)
        wire_->send_up([sender = wire_] { sender->server.close_session(sender->id); });
}

void model_link::end_connection(disconnect_reason why) {
    if (!wire_)
        return;
    std::exchange(wire_, nullptr)->close();
    events_.disconnected(why);
}

void model_link::cut() {
    disturbed_ = ensemble_.now();
    end_connection();
}

void model_link::black_hole(bool requests, bool replies) {
    disturbed_ = ensemble_.now();
    if (wire_)
        wire_->black_hole(requests, replies);
}

} // namespace turnstile::test
