// SPDX-License-Identifier: BSL-1.0
#include "model_ensemble.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

model_ensemble::model_ensemble(event_queue& events, std::uint64_t seed, std::size_t servers,
                               const model_limits& limits, model_replica::apply_observer observer)
    : random_(seed), cluster_(events, random_, limits) {
    for (std::size_t i = 0; i < servers; ++i)
        replicas_.push_back(std::make_unique<model_replica>(cluster_, replicas_, i, observer));
    for (const auto& each : replicas_)
        each->start();
}

model_replica* model_ensemble::leader() {
    model_replica* result = nullptr;
    for (const auto& each : replicas_)
        if (each->part() == model_replica::role::leading &&
            (!result || each->applied() > result->applied()))
            result = each.get();
    return result;
}

const model_tree& model_ensemble::truth() const {
    const auto newest = std::max_element(
        replicas_.begin(), replicas_.end(),
        [](const auto& one, const auto& other) { return one->applied() < other->applied(); });
    return (*newest)->tree();
}

std::size_t model_ensemble::watches_outside(const std::string& path) const {
    std::size_t count = 0;
    for (const auto& each : replicas_)
        count += each->watches_outside(path);
    return count;
}

bool model_ensemble::has_served_since(protocol::instant when) const {
    return outage_until_ <= when &&
           std::any_of(replicas_.begin(), replicas_.end(), [&](const auto& each) {
               return each->steady_since(when) && !refuses(each->index());
           });
}

void model_ensemble::propose(const model_txn& txn) {
    if (const auto proposer = leader())
        proposer->run([proposer, txn] { proposer->propose(txn); });
}

void model_ensemble::end_session(model_session session) {
    propose({.what = model_txn::kind::close_session, .session = session});
}

void model_ensemble::remove(const std::string& path) {
    propose({.what = model_txn::kind::removal, .path = path});
}

void model_ensemble::set_by_hand(const std::string& path, const std::string& data) {
    propose({.what = model_txn::kind::set, .request = {.data = data}, .path = path});
}

void model_ensemble::delete_empty_paths() {
    if (const auto reaper = leader())
        for (const auto& path : reaper->tree().reapable())
            remove(path);
}

void model_ensemble::make_path(const std::string& path) {
    const auto session = --last_foreign_session_;
    propose({.what = model_txn::kind::open_session, .session = session});
    for (std::size_t end = path.find('/', 1); end != 0;
         end = end == std::string::npos ? 0 : path.find('/', end + 1))
        propose({.what = model_txn::kind::request,
                 .session = session,
                 .request = {.op = protocol::operation::create_container,
                             .path = path.substr(0, end)}});
    propose({.what = model_txn::kind::close_session, .session = session});
}

void model_ensemble::foreign_ticket(const std::string& prefix, protocol::duration until_set,
                                    protocol::duration until_gone) {
    const auto session = --last_foreign_session_;
    propose({.what = model_txn::kind::open_session, .session = session});
    propose({.what = model_txn::kind::request,
             .session = session,
             .request = {.op = protocol::operation::enqueue, .path = prefix}});
    events().after(until_set, [this, session] {
        propose({.what = model_txn::kind::set, .session = session});
    });
    events().after(until_gone, [this, session] { end_foreign(session, now() + 10 * timeout()); });
}

void model_ensemble::twin(const std::string& path, protocol::duration until_gone,
                          std::function<void(model_session)> missed) {
    const auto session = --last_foreign_session_;
    propose({.what = model_txn::kind::twin, .session = session, .path = path});
    events().after(until_gone, [this, session, path, missed = std::move(missed)] {
        if (truth().alive(session) && !truth().has(path))
            missed(session);
        end_foreign(session, now() + 10 * timeout());
    });
}

// The end is asked for again while the session is alive, since perhaps no server leads just now.
// And a session may come to life late: a leader that was cut off may carry out its first
// transaction after its end was asked for.
void model_ensemble::end_foreign(model_session session, protocol::instant last_look) {
    propose({.what = model_txn::kind::close_session, .session = session});
    const bool alive = truth().alive(session);
    if (alive || now() < last_look)
        events().after(alive ? std::chrono::milliseconds{100} : timeout(),
                       [this, session, last_look] { end_foreign(session, last_look); });
}

void model_ensemble::deny(model_right what, const std::string& path) {
    for (const auto& each : replicas_)
        each->tree().deny(what, path);
}

void model_ensemble::have(const std::string& path) {
    for (const auto& each : replicas_)
        each->tree().have(path);
}

void model_ensemble::change_right(model_right what, const std::string& path, bool given) {
    propose({.what = model_txn::kind::rights, .path = path, .right = what, .given = given});
}

void model_ensemble::execute_late(model_session session, const protocol::request& what,
                                  protocol::instant closed) {
    const auto when = closed + up_to(timeout() * 3 / 4);
    if (when < now())
        return;
    events().at(when, [this, session, what, closed] {
        const auto proposer = leader();
        if (proposer && proposer->tree().alive(session))
            proposer->run([proposer, session, what, closed] {
                proposer->propose({.what = model_txn::kind::request,
                                   .session = session,
                                   .request = what,
                                   .held_since = closed});
            });
    });
}

void model_ensemble::partition(std::size_t server, bool outward, bool inward) {
    this->server(server).cut_off();
    for (std::size_t other = 0; other < size(); ++other) {
        if (other == server)
            continue;
        if (outward)
            cluster_.break_link(server, other);
        if (inward)
            cluster_.break_link(other, server);
    }
}

void model_ensemble::lag(std::size_t server, protocol::duration by) {
    this->server(server).cut_off();
    for (std::size_t other = 0; other < size(); ++other)
        if (other != server)
            cluster_.slow_link(other, server, by);
}

void model_ensemble::heal() {
    for (std::size_t one = 0; one < size(); ++one)
        for (std::size_t other = 0; other < size(); ++other)
            if (one != other)
                cluster_.mend_link(one, other);
    for (const auto& each : replicas_) {
        each->rejoin();
        each->start();
        if (each->part() != model_replica::role::down)
            each->resume();
    }
}

} // namespace turnstile::test
