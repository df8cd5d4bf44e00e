#include "small_world.hpp"

#include "small_numbers.hpp"

#include <algorithm>

namespace turnstile::test {

using namespace std::chrono_literals;

namespace {

constexpr auto only_path = "/a";

protocol::settings options_of_all(protocol::mutant planted) {
    protocol::settings options;
    options.timeout = 1s;
    options.tick = 250ms;
    options.unreachable_limit = 1h; // which is never, as are the next two
    options.queue_rest = 1h;
    options.connect_timeout = 1h;
    options.planted = {planted};
    return options;
}

} // namespace

small_world::small_world(const small_limits& limits, const std::vector<small_faults>& faults)
    : limits_(limits),
      judge_([](promises::acquire_id who) { return "ticket " + std::to_string(who); }),
      planned_(limits.sessions),
      faults_(faults) {
    judge_.add(promises::mutex, only_path);
    for (std::size_t i = 0; i < limits.sessions; ++i)
        clients_.push_back(
            std::make_unique<small_client>(i, judge_, options_of_all(limits.planted)));
    for (std::size_t i = 0; i < limits.tickets; ++i)
        planned_[i % limits.sessions].push_back(i + 1);
    for (const auto& plan : planned_)
        groups_.push_back(plan.size());
}

void small_world::take(const choice& next) {
    auto& client = *clients_[next.client];
    switch (next.what) {
    case choice::kind::start:
        planned_[next.client].erase(planned_[next.client].begin());
        client.acquire(now_, next.ticket, only_path);
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
    case choice::kind::session_end:
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
        stuck_ = true;
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
    describe_beliefs(words);
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
    describe_beliefs(beliefs);
    sum.add(beliefs.digest());
    sum.add(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
    return sum.value();
}

// Of several holders of one lock the order is that of their numbers.
void small_world::describe_beliefs(state_words& to) const {
    to.part("beliefs");
    for (const auto& lock : judge_.locks()) {
        to.number(lock.granted.largest().size());
        for (const auto& each : lock.granted.largest()) {
            to.number(each.takes);
            to.zxid_beside(static_cast<std::int64_t>(each.token.czxid));
        }
        auto holders = lock.holders.holders();
        std::sort(holders.begin(), holders.end(),
                  [](const auto& one, const auto& other) { return one.who < other.who; });
        to.number(holders.size());
        for (const auto& each : holders) {
            to.ticket(each.who);
            to.number(each.takes);
        }
    }
}

std::vector<std::string> small_world::violations() const {
    auto result = promises::texts_of(judge_);
    if (stuck_)
        result.emplace_back("a ticket waits for ever");
    return result;
}

bool small_world::finished() const {
    const auto has_begun = [](const auto& plan) { return plan.empty(); };
    return judge_.open() == 0 && std::all_of(planned_.begin(), planned_.end(), has_begun);
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
    while (!stuck_ && now_ < end) {
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
    for (const auto& child : server_.tree().children(only_path))
        judge_.left(child);
    if (server_.watches() > 0)
        judge_.left("a watch");
}

} // namespace turnstile::test
