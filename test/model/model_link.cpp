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

/// One connection: two streams in order, each of which can stop to carry anything.
class model_link::wire : public model_caller, public std::enable_shared_from_this<wire> {
public:
    wire(model_link& owner, model_connection number, model_replica& server)
        : id(number), at(server), link_(owner), ensemble_(owner.ensemble_) {}

    void up(std::function<void()> arrives) {
        if (hung_up_)
            return;
        last_up_ =
            std::max(last_up_ + 1us, ensemble_.now() + ensemble_.up_to(ensemble_.client_latency()));
        ensemble_.events().at(last_up_, [self = shared_from_this(), arrives = std::move(arrives)] {
            if (!self->hung_up_ &&
                (!self->discard_from_ || self->ensemble_.now() < *self->discard_from_))
                self->at.run(arrives);
        });
    }

    void connected(model_session session) override {
        session_ = session;
        met_at_ = at.applied();
        down([this, session] { link_.events_.connected(session, ensemble_.timeout()); });
    }
    void replied(protocol::request_id to, const protocol::reply& answer) override {
        down([this, to, answer] {
            if (link_.events_.trace)
                link_.events_.trace("hears #" + std::to_string(to) + ' ' +
                                    std::to_string(static_cast<int>(answer.code)) + ' ' +
                                    answer.path);
            link_.events_.replied(to, answer);
        });
    }
    void fired(protocol::watch_event event, const std::string& path) override {
        down([this, event, path] { link_.events_.fired(event, path); });
    }
    void hung_up(disconnect_reason why) override {
        down([this, why] { link_.end_connection(why); });
    }

    /// What still is under way arrives for a while, then the server hears of the end.
    void close() {
        open_here_ = false;
        closed_at_ = ensemble_.now();
        discard_from_ = ensemble_.below(3) == 0
                            ? ensemble_.now()
                            : ensemble_.now() + ensemble_.up_to(ensemble_.client_latency() * 2);
        if (!hung_up_)
            ensemble_.events().at(std::max(last_up_, *discard_from_), [self = shared_from_this()] {
                self->at.run([self] { self->at.hang_up(self->id); });
            });
    }
    void black_hole(bool requests, bool replies) {
        hung_up_ |= requests;
        hung_down_ |= replies;
    }
    bool open_here() const { return open_here_; }
    instant closed_at() const { return closed_at_; }
    model_session session() const { return session_; }
    std::int64_t met_at() const { return met_at_; }

    const model_connection id;
    model_replica& at;

private:
    void down(std::function<void()> arrives) {
        if (hung_down_)
            return;
        last_down_ = std::max(last_down_ + 1us, ensemble_.now() + at.pace() +
                                                    ensemble_.up_to(ensemble_.client_latency()));
        ensemble_.events().at(last_down_,
                              [self = shared_from_this(), arrives = std::move(arrives)] {
                                  if (self->open_here_ && !self->hung_down_)
                                      arrives();
                              });
    }

    model_link& link_;
    model_ensemble& ensemble_;
    model_session session_ = 0;
    std::int64_t met_at_ = 0;
    bool open_here_ = true;
    bool hung_up_ = false;   // requests
    bool hung_down_ = false; // replies
    instant closed_at_{};
    std::optional<instant> discard_from_;
    instant last_up_{};
    instant last_down_{};
};

void model_link::connect(const protocol::connect_request& to) {
    if (wire_) {
        events_.report("connects before the end of its last connection was told");
        std::exchange(wire_, nullptr)->close();
    }
    wire_ = std::make_shared<wire>(*this, ensemble_.next_connection(), ensemble_.server(to.server));
    if (events_.trace)
        events_.trace("tries server " + std::to_string(wire_->at.index()));
    const bool locked_out =
        ensemble_.now() < locked_out_until_ && let_back_to_ != wire_->at.index();
    const bool shut = !ensemble_.reachable() || locked_out;
    if (shut && ensemble_.below(2) == 0)
        return; // ignored: the client gives up by itself
    const auto on = wire_;
    if (shut || on->at.part() == model_replica::role::down) // the kernel refuses
        return on->hung_up(disconnect_reason::lost);
    if (ensemble_.refuses(on->at.index()))
        return on->hung_up(disconnect_reason::auth_failed);
    on->up([on, wanted = to.session.session_id] { on->at.attach(on->id, on, wanted); });
}

std::optional<std::size_t> model_link::server() const {
    return wire_ ? std::optional{wire_->at.index()} : std::nullopt;
}

std::int64_t model_link::met_at() const { return wire_ ? wire_->met_at() : 0; }

void model_link::send(protocol::request_id id, const protocol::request& what) {
    if (!wire_)
        return; // answered by the end of the connection
    if (events_.trace)
        events_.trace("sends #" + std::to_string(id) + ' ' + text_of(what) + " to " +
                      std::to_string(wire_->at.index()));
    wire_->up([on = wire_, &ensemble = ensemble_, id, what] {
        if (!on->open_here() && ensemble.holds(what))
            ensemble.execute_late(on->session(), what, on->closed_at());
        else
            on->at.receive(on->id, id, what);
    });
}

void model_link::drop() {
    if (!wire_)
        return;
    ensemble_.events().after(0ns, [this, on = wire_] {
        if (wire_ == on)
            end_connection();
    });
}

void model_link::close_session() {
    if (wire_)
        wire_->up([on = wire_] { on->at.close_session(on->id); });
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
