#include "small_world.hpp"

#include <algorithm>
#include <array>

namespace turnstile::test {

using namespace std::chrono_literals;

namespace {

constexpr auto path = "/a";

protocol::settings options_of_all(protocol::mutant planted) {
    protocol::settings options;
    options.timeout = 1s;
    options.tick = 250ms;
    options.unreachable_limit = 1h;
    options.connect_timeout = 1h;
    options.planted = {planted};
    return options;
}

} // namespace

std::string small_world::choice::str() const {
    constexpr std::array names{"start",     "release", "take in", "late",  "hear",
                               "pass time", "cut",     "kill",    "cancel"};
    return std::string(names.at(static_cast<std::size_t>(what))) + ' ' + std::to_string(client) +
           (ticket != 0 ? " ticket " + std::to_string(ticket) : "");
}

small_world::small_world(const small_limits& limits)
    : limits_(limits), planned_(limits.sessions), faults_(limits.faults) {
    for (std::size_t i = 0; i < limits.sessions; ++i)
        clients_.push_back(
            std::make_unique<small_client>(i, beliefs_, options_of_all(limits.planted)));
    for (std::size_t i = 0; i < limits.tickets; ++i)
        planned_[i % limits.sessions].push_back(i + 1);
}

std::vector<small_world::choice> small_world::choices() const {
    using kind = choice::kind;
    std::vector<choice> result;
    if (finished())
        return result;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        const auto& client = *clients_[i];
        if (!planned_[i].empty())
            result.push_back({kind::start, i, planned_[i].front()});
        const auto& on = client.connection();
        const auto& old = client.old_connection();
        if (on && !on->up.empty())
            result.push_back({kind::take_in, i});
        if (old && old->open_there && !old->up.empty())
            result.push_back({kind::late, i});
        if (on && !on->down.empty())
            result.push_back({kind::hear, i});
        for (const auto& [id, now] : client.tickets())
            if (now == small_client::stage::held)
                result.push_back({kind::release, i, id});
    }
    if (result.empty())
        return {{kind::pass_time, 0}};
    if (faults_ == 0)
        return result;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        const auto& client = *clients_[i];
        if (client.connection() && client.session() != 0)
            result.push_back({kind::cut, i});
        if (client.session() != 0 && server_.tree().alive(client.session()))
            result.push_back({kind::kill, i});
        for (const auto& [id, now] : client.tickets())
            if (now == small_client::stage::waiting)
                result.push_back({kind::cancel, i, id});
    }
    return result;
}

void small_world::take(const choice& next) {
    auto& client = *clients_[next.client];
    switch (next.what) {
    case choice::kind::start:
        planned_[next.client].erase(planned_[next.client].begin());
        client.acquire(now_, next.ticket, path);
        break;
    case choice::kind::release:
        client.release(now_, next.ticket);
        break;
    case choice::kind::take_in:
        server_.take_in(client.connection());
        break;
    case choice::kind::late:
        server_.take_in(client.old_connection());
        break;
    case choice::kind::hear:
        client.hear(now_);
        break;
    case choice::kind::pass_time:
        pass_time();
        break;
    case choice::kind::cut:
        --faults_;
        client.cut(now_);
        break;
    case choice::kind::kill:
        --faults_;
        client.forsake();
        server_.kill(client.session());
        break;
    case choice::kind::cancel:
        --faults_;
        client.cancel(now_, next.ticket);
        break;
    }
}

void small_world::pass_time() {
    std::optional<protocol::instant> next;
    for (const auto& client : clients_)
        if (const auto due = client->next_timer(); due && (!next || *due < *next))
            next = due;
    if (!next || ++ticks_ > most_ticks) {
        complaints_.push_back("a ticket waits for ever");
        return;
    }
    now_ = std::max(now_, *next);
    for (const auto& client : clients_)
        if (const auto due = client->next_timer(); due && *due <= now_)
            client->tick(now_);
}

std::uint64_t small_world::state() const {
    digest sum;
    server_.add_to(sum);
    for (const auto& client : clients_)
        client->add_to(sum);
    sum.add(faults_).add(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
    return sum.value();
}

std::vector<std::string> small_world::violations() const {
    auto result = complaints_;
    for (const auto& text : beliefs_.violations())
        result.push_back(text);
    for (const auto& client : clients_)
        for (const auto& text : client->complaints())
            result.push_back(text);
    return result;
}

bool small_world::finished() const {
    const auto has_begun = [](const auto& plan) { return plan.empty(); };
    const auto is_settled = [](const auto& client) { return client->settled(); };
    return !complaints_.empty() || (std::all_of(planned_.begin(), planned_.end(), has_begun) &&
                                    std::all_of(clients_.begin(), clients_.end(), is_settled));
}

bool small_world::quiet() const {
    return std::all_of(clients_.begin(), clients_.end(), [](const auto& client) {
        const auto& on = client->connection();
        return !on || (on->up.empty() && on->down.empty());
    });
}

void small_world::run_out() {
    const auto end = now_ + 3s;
    while (complaints_.empty() && now_ < end) {
        for (const auto& client : clients_) {
            while (client->connection() && !client->connection()->up.empty())
                server_.take_in(client->connection());
            while (client->connection() && !client->connection()->down.empty())
                client->hear(now_);
        }
        if (quiet())
            pass_time();
    }
    for (const auto& child : server_.tree().children(path))
        complaints_.push_back(child + " was left");
    if (server_.watches() > 0)
        complaints_.push_back("a watch was left");
}

} // namespace turnstile::test
