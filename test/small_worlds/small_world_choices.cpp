// What may happen next in a small world, and which of it is enough to look at.
#include "small_world.hpp"

#include <algorithm>
#include <array>

namespace turnstile::test {

std::string small_world::choice::str() const {
    constexpr std::array names{"start", "release", "downgrade", "upgrade", "take in",     "late",
                               "gone",  "hear",    "pass time", "cut",     "session end", "cancel"};
    return std::string(names.at(static_cast<std::size_t>(what))) + ' ' + std::to_string(client) +
           (ticket != 0 ? " ticket " + std::to_string(ticket) : "");
}

// What a client does, all by itself.
void small_world::add_own_work(std::size_t who, std::vector<choice>& to) const {
    using kind = choice::kind;
    const auto& client = *clients_[who];
    if (!planned_[who].empty())
        to.push_back({kind::start, who, planned_[who].front()});
    if (client.connection() && !client.connection()->down.empty())
        to.push_back({kind::hear, who});
    for (const auto id : begun_[who])
        if (judge_.stage_of(id) == promises::stage::held)
            to.push_back({kind::release, who, id});
    for (const auto id : begun_[who])
        if (limits_.downgrades && judge_.stage_of(id) == promises::stage::held &&
            lock_.kind_of(id) == protocol::ticket_kind::exclusive && !client.has_downgraded(id))
            to.push_back({kind::downgrade, who, id});
    for (const auto id : begun_[who])
        if (limits_.upgrades && judge_.stage_of(id) == promises::stage::held &&
            (lock_.kind_of(id) == protocol::ticket_kind::shared || client.has_downgraded(id)) &&
            !client.has_upgraded(id))
            to.push_back({kind::upgrade, who, id});
}

void small_world::add_own_faults(std::size_t who, std::vector<choice>& to) const {
    using kind = choice::kind;
    const auto& client = *clients_[who];
    if (faults_[who].here == 0)
        return;
    if (client.connection() && client.session() != 0)
        to.push_back({kind::cut, who});
    for (const auto id : begun_[who])
        if (judge_.stage_of(id) == promises::stage::waiting)
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
    if (stuck_ || judge_.remains() > 0)
        return result;
    for (std::size_t i = 0; i < clients_.size(); ++i)
        add_work(i, result);
    if (result.empty() && !finished())
        result.push_back({kind::pass_time, 0});
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        add_own_faults(i, result);
        const auto session = clients_[i]->session();
        if (faults_[i].there > 0 && session != 0 && server_.tree().alive(session))
            result.push_back({kind::session_end, i});
    }
    return result;
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
        if (begun_[i].empty() && !planned_[i].empty())
            return {{{choice::kind::start, i, planned_[i].front()}}};
    for (std::size_t i = 0; i < clients_.size(); ++i)
        if (is_unheard(i) && small_server::touches_nothing(clients_[i]->connection()->up.front()))
            return {{{choice::kind::take_in, i}}};
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        const auto& on = clients_[i]->connection();
        if (!on || on->down.empty() || clients_[i]->has_any(promises::stage::held))
            continue;
        result.emplace_back();
        add_own_work(i, result.back());
        add_own_faults(i, result.back());
    }
    std::sort(result.begin(), result.end(),
              [](const auto& one, const auto& other) { return one.size() < other.size(); });
    return result;
}

} // namespace turnstile::test
