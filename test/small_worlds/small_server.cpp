#include "small_server.hpp"

#include "small_numbers.hpp"

#include "protocol/names/semaphore_names.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using protocol::disconnect_reason;

namespace {

// What nobody will read is not kept: that it was said makes no difference.
void tell(const small_server::connection_ptr& on, small_connection::to_client what) {
    if (on->open_here)
        on->down.push_back(std::move(what));
}

// Leases and what is above them come first, the last lease before all: an order that rests on
// nothing but who came after whom. All others stand as the tree tells them.
bool stands_first(const std::string& one, const std::string& other) {
    const auto place = [](const std::string& path) -> std::int64_t {
        const auto name = protocol::lease_name::parse(path.substr(path.rfind('/') + 1));
        if (name)
            return -1 - std::int64_t{name->sequence};
        return path.ends_with(protocol::leases_name) ? 0 : 1;
    };
    return place(one) < place(other);
}

} // namespace

void small_server::take_in(const connection_ptr& on) {
    const auto message = std::move(on->up.front());
    on->up.pop_front();
    if (!on->open_there)
        return;
    if (const auto wish = std::get_if<small_connection::attach>(&message)) {
        auto session = wish->wanted;
        if (session != 0 && !tree_.alive(session))
            return close(on, disconnect_reason::expired);
        if (session == 0) {
            session = static_cast<model_session>(small_numbers::session(on->number));
            apply({.what = model_txn::kind::open_session, .session = session});
        }
        if (const auto old = attached_.find(session); old != attached_.end())
            forget(old->second);
        on->session = session;
        attached_[session] = on;
        tell(on, small_connection::connected{session});
    } else if (const auto asked = std::get_if<small_connection::ask>(&message)) {
        answer(on, *asked);
    } else {
        apply({.what = model_txn::kind::close_session, .session = on->session});
        close(on, disconnect_reason::closed);
    }
}

void small_server::answer(const connection_ptr& on, const small_connection::ask& asked) {
    protocol::reply result;
    if (protocol::is_write(asked.what.op)) {
        result =
            apply({.what = model_txn::kind::request, .session = on->session, .request = asked.what})
                .answer;
    } else if (asked.what.op != protocol::operation::sync && asked.what.path != "/") {
        const bool lists = asked.what.op == protocol::operation::get_children;
        result = tree_.read(asked.what);
        if (lists)
            std::stable_sort(result.children.begin(), result.children.end(), stands_first);
        if (asked.what.watch && result.code == protocol::zookeeper_code::ok)
            watchers_[lists ? 1 : 0][asked.what.path].insert(on);
    }
    tell(on, small_connection::answer{asked.id, std::move(result)});
}

model_tree::outcome small_server::apply(model_txn txn) {
    // What changes no node leaves no trace: orders that differ in such things alone are one.
    const bool changes = txn.what == model_txn::kind::request
                             ? may_change(txn.request)
                             : txn.what != model_txn::kind::open_session;
    txn.zxid = changes ? ++zxid_ : zxid_;
    if (changes)
        history_.add(static_cast<std::uint64_t>(txn.what))
            .add(static_cast<std::uint64_t>(txn.session))
            .add(txn.request);
    auto result = tree_.apply(txn);
    if (txn.what == model_txn::kind::close_session)
        std::stable_sort(result.events.begin(), result.events.end(),
                         [](const auto& one, const auto& other) {
                             return stands_first(one.first, other.first);
                         });
    for (const auto& [path, what] : result.events)
        tell_watchers(path, what);
    return result;
}

// Who watches a node and its children hears once of its end.
void small_server::tell_watchers(const std::string& path, protocol::watch_event what) {
    std::set<connection_ptr> hear;
    const auto take = [&](watch_list& from) {
        if (const auto found = from.find(path); found != from.end()) {
            hear.merge(found->second);
            from.erase(found);
        }
    };
    if (what != protocol::watch_event::children)
        take(watchers_[0]);
    if (what == protocol::watch_event::children || what == protocol::watch_event::deleted)
        take(watchers_[1]);
    for (const auto& on : hear)
        tell(on, small_connection::event{what, path});
}

// By a session of its own, which leaves no trace.
void small_server::prepare(const protocol::request& what) {
    constexpr model_session operator_session = 1;
    tree_.apply({.what = model_txn::kind::open_session, .session = operator_session});
    apply({.what = model_txn::kind::request, .session = operator_session, .request = what});
    tree_.apply({.what = model_txn::kind::close_session, .session = operator_session});
}

void small_server::kill(model_session session) {
    if (!tree_.alive(session))
        return;
    apply({.what = model_txn::kind::close_session, .session = session});
    if (const auto found = attached_.find(session); found != attached_.end())
        close(found->second, disconnect_reason::lost);
}

void small_server::close(const connection_ptr& on, disconnect_reason why) {
    const auto keep = on;
    forget(keep);
    tell(keep, small_connection::end{why});
}

void small_server::forget(const connection_ptr& on) {
    const auto keep = on;
    keep->open_there = false;
    keep->up.clear(); // nobody reads it any more
    if (const auto found = attached_.find(keep->session);
        found != attached_.end() && found->second == keep)
        attached_.erase(found);
    for (auto& list : watchers_)
        for (auto next = list.begin(); next != list.end();) {
            next->second.erase(keep);
            next = next->second.empty() ? list.erase(next) : std::next(next);
        }
}

bool small_server::may_change(const protocol::request& what) {
    const auto checks = [](const auto& step) { return step.what == protocol::step_kind::check; };
    if (what.op == protocol::operation::transact)
        return !std::all_of(what.steps.begin(), what.steps.end(), checks);
    return protocol::is_write(what.op) && what.op != protocol::operation::check;
}

bool small_server::touches_nothing(const small_connection::to_server& message) {
    if (std::holds_alternative<small_connection::attach>(message))
        return true;
    const auto asked = std::get_if<small_connection::ask>(&message);
    return asked && !protocol::is_write(asked->what.op) && asked->what.path == "/";
}

bool small_server::is_watched_by(const connection_ptr& on) const {
    return std::any_of(watchers_.begin(), watchers_.end(), [&](const auto& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](const auto& entry) { return entry.second.contains(on); });
    });
}

std::size_t small_server::watches(const std::set<std::string>& but_on) const {
    std::size_t count = 0;
    for (const auto& list : watchers_)
        for (const auto& [path, connections] : list)
            if (!but_on.contains(path))
                count += static_cast<std::size_t>(
                    std::count_if(connections.begin(), connections.end(),
                                  [](const auto& on) { return on->open_here; }));
    return count;
}

void small_server::describe_sessions(std::size_t client, state_words& to) const {
    to.part("sessions");
    const auto is_its = [client](model_session session) {
        return small_numbers::client_of_session(static_cast<std::uint64_t>(session)) == client;
    };
    for (const auto session : tree_.sessions())
        if (is_its(session))
            to.session(session);
    to.part("attached");
    for (const auto& [session, on] : attached_)
        if (is_its(session) && (on->open_here || !on->up.empty())) {
            to.session(session);
            to.connection(on->number);
        }
    to.part("server's watches"); // those that somebody will hear of
    for (const auto& list : watchers_) {
        to.flag(&list == watchers_.data());
        for (const auto& [path, connections] : list)
            for (const auto& on : connections)
                if (on->open_here && small_numbers::client_of_connection(on->number) == client)
                    to.node(path);
    }
}

void small_server::add_past_to(digest& sum) const {
    sum.add(history_.value());
    for (const auto session : tree_.sessions())
        sum.add(static_cast<std::uint64_t>(session));
    for (const auto& list : watchers_) {
        sum.add(list.size());
        for (const auto& [path, connections] : list) {
            sum.add(path);
            std::set<std::uint64_t> numbers;
            for (const auto& on : connections)
                numbers.insert(on->number);
            for (const auto number : numbers)
                sum.add(number);
        }
    }
}

} // namespace turnstile::test
