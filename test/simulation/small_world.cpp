#include "small_world.hpp"

#include "small_numbers.hpp"

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
    options.unreachable_limit = 1h; // which is never, as are the next two
    options.line_rest = 1h;
    options.connect_timeout = 1h;
    options.planted = {planted};
    return options;
}

} // namespace

std::string small_world::choice::str() const {
    constexpr std::array names{"start", "release",   "take in", "late", "gone",
                               "hear",  "pass time", "cut",     "kill", "cancel"};
    return std::string(names.at(static_cast<std::size_t>(what))) + ' ' + std::to_string(client) +
           (ticket != 0 ? " ticket " + std::to_string(ticket) : "");
}

small_world::small_world(const small_limits& limits, const std::vector<small_faults>& faults)
    : limits_(limits), planned_(limits.sessions), faults_(faults) {
    for (std::size_t i = 0; i < limits.sessions; ++i)
        clients_.push_back(
            std::make_unique<small_client>(i, beliefs_, options_of_all(limits.planted)));
    for (std::size_t i = 0; i < limits.tickets; ++i)
        planned_[i % limits.sessions].push_back(i + 1);
    for (const auto& plan : planned_)
        groups_.push_back(plan.size());
}

// What a client does, all by itself.
void small_world::add_own_work(std::size_t who, std::vector<choice>& to) const {
    using kind = choice::kind;
    const auto& client = *clients_[who];
    if (!planned_[who].empty())
        to.push_back({kind::start, who, planned_[who].front()});
    if (client.connection() && !client.connection()->down.empty())
        to.push_back({kind::hear, who});
    for (const auto& [id, now] : client.tickets())
        if (now == small_client::stage::held)
            to.push_back({kind::release, who, id});
}

void small_world::add_own_faults(std::size_t who, std::vector<choice>& to) const {
    using kind = choice::kind;
    const auto& client = *clients_[who];
    if (faults_[who].here == 0)
        return;
    if (client.connection() && client.session() != 0)
        to.push_back({kind::cut, who});
    for (const auto& [id, now] : client.tickets())
        if (now == small_client::stage::waiting)
            to.push_back({kind::cancel, who, id});
}

void small_world::add_work(std::size_t who, std::vector<choice>& to) const {
    using kind = choice::kind;
    const auto& client = *clients_[who];
    if (client.connection() && !client.connection()->up.empty())
        to.push_back({kind::take_in, who});
    for (const auto& old : client.old_connections())
        if (old->open_there && !old->up.empty()) {
            to.push_back({kind::late, who, old->number});
            to.push_back({kind::gone, who, old->number});
        }
    add_own_work(who, to);
}

std::vector<small_world::choice> small_world::choices() const {
    using kind = choice::kind;
    std::vector<choice> result;
    if (!complaints_.empty())
        return result;
    for (std::size_t i = 0; i < clients_.size(); ++i)
        add_work(i, result);
    if (result.empty() && !finished())
        result.push_back({kind::pass_time, 0});
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        add_own_faults(i, result);
        const auto session = clients_[i]->session();
        if (faults_[i].there > 0 && session != 0 && server_.tree().alive(session))
            result.push_back({kind::kill, i});
    }
    return result;
}

bool small_world::is_holding(std::size_t who) const {
    const auto& tickets = clients_[who]->tickets();
    return std::any_of(tickets.begin(), tickets.end(),
                       [](const auto& entry) { return entry.second == small_client::stage::held; });
}

// The server's answer is the next word to it, whatever else happens.
bool small_world::is_unheard(std::size_t who) const {
    const auto& client = *clients_[who];
    const auto& on = client.connection();
    const auto& olds = client.old_connections();
    const bool may_be_killed = faults_[who].there > 0 && client.session() != 0;
    return !may_be_killed && on && !on->up.empty() && !server_.is_watched_by(on) &&
           std::none_of(olds.begin(), olds.end(),
                        [](const auto& old) { return old->open_there && !old->up.empty(); });
}

std::vector<std::vector<small_world::choice>> small_world::enough() const {
    std::vector<std::vector<choice>> result;
    for (std::size_t i = 0; i < clients_.size(); ++i)
        if (clients_[i]->tickets().empty() && !planned_[i].empty())
            return {{{choice::kind::start, i, planned_[i].front()}}};
    for (std::size_t i = 0; i < clients_.size(); ++i)
        if (is_unheard(i) && small_server::touches_nothing(clients_[i]->connection()->up.front()))
            return {{{choice::kind::take_in, i}}};
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        const auto& on = clients_[i]->connection();
        if (!on || on->down.empty() || is_holding(i))
            continue;
        result.emplace_back();
        add_own_work(i, result.back());
        add_own_faults(i, result.back());
    }
    std::sort(result.begin(), result.end(),
              [](const auto& one, const auto& other) { return one.size() < other.size(); });
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
        for (const auto& old : client.old_connections())
            if (old->number == next.ticket)
                return server_.take_in(old);
        break;
    case choice::kind::gone:
        for (const auto& old : client.old_connections())
            if (old->number == next.ticket)
                return server_.forget(old);
        break;
    case choice::kind::hear:
        client.hear(now_);
        break;
    case choice::kind::pass_time:
        pass_time();
        break;
    case choice::kind::cut:
        --faults_[next.client].here;
        client.cut(now_);
        break;
    case choice::kind::kill:
        --faults_[next.client].there;
        client.forsake();
        server_.kill(client.session());
        break;
    case choice::kind::cancel:
        --faults_[next.client].here;
        client.cancel(now_, next.ticket);
        break;
    }
}

void small_world::pass_time() {
    std::optional<protocol::instant> next;
    for (const auto& client : clients_)
        if (const auto due = client->next_timer(); due && (!next || *due < *next))
            next = due;
    if (!next || next->time_since_epoch() >= small_numbers::longest_run) {
        complaints_.push_back("a ticket waits for ever");
        return;
    }
    now_ = std::max(now_, *next);
    for (const auto& client : clients_)
        if (const auto due = client->next_timer(); due && *due <= now_)
            client->tick(now_);
}

std::uint64_t small_world::state(std::string_view forgotten) const {
    state_words words(now_, groups_);
    words.forget(forgotten);
    server_.describe(words);
    beliefs_.describe(words);
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        words.of_client(i);
        words.part("faults");
        words.number(faults_[i].here);
        words.number(faults_[i].there);
        words.part("plan");
        words.number(planned_[i].size());
        clients_[i]->describe(words);
        server_.describe_sessions(i, words);
    }
    return words.digest();
}

std::uint64_t small_world::past() const {
    digest sum;
    server_.add_past_to(sum);
    for (const auto& client : clients_)
        client->add_past_to(sum);
    for (const auto& left : faults_)
        sum.add(left.here).add(left.there);
    state_words beliefs(now_, groups_); // whom an operator had forsaken when is no client's input
    beliefs_.describe(beliefs);
    sum.add(beliefs.digest());
    sum.add(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
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
    return std::all_of(planned_.begin(), planned_.end(), has_begun) &&
           std::all_of(clients_.begin(), clients_.end(), is_settled);
}

bool small_world::quiet() const {
    return std::all_of(clients_.begin(), clients_.end(), [](const auto& client) {
        const auto& on = client->connection();
        const auto& olds = client->old_connections();
        return (!on || (on->up.empty() && on->down.empty())) &&
               std::none_of(olds.begin(), olds.end(),
                            [](const auto& old) { return old->open_there && !old->up.empty(); });
    });
}

void small_world::run_out() {
    const auto end = now_ + 3s;
    while (complaints_.empty() && now_ < end) {
        for (const auto& client : clients_) {
            for (const auto& old : client->old_connections())
                while (old->open_there && !old->up.empty())
                    server_.take_in(old);
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
