#include "small_world.hpp"

#include "small_numbers.hpp"

#include <algorithm>
#include <string_view>

namespace turnstile::test {

using namespace std::chrono_literals;

namespace {

protocol::settings options_of_all(protocol::mutant planted) {
    protocol::settings options;
    options.timeout = 1s;
    options.tick = 250ms;
    options.unreachable_limit = 1h; // which is never, as are the next two
    options.queue_rest = 1h;
    options.connect_timeout = 1h;
    options.crowd = 1; // whoever meets anybody, so that a few tickets show the marks
    options.planted = {planted};
    return options;
}

} // namespace

small_world::small_world(const small_limits& limits, const small_deal& dealt)
    : limits_(limits),
      lock_(limits, dealt.sorts),
      judge_([](promises::acquire_id who) { return "ticket " + std::to_string(who); }),
      planned_(limits.sessions),
      begun_(limits.sessions),
      faults_(dealt.faults) {
    for (auto& path : lock_.paths())
        judge_.add(lock_.kind(), std::move(path));
    lock_.prepare(server_);
    for (std::size_t i = 0; i < limits.sessions; ++i)
        clients_.push_back(
            std::make_unique<small_client>(i, judge_, options_of_all(limits.planted)));
    for (std::size_t i = 0; i < limits.tickets; ++i)
        planned_[i % limits.sessions].push_back(i + 1);
    for (const auto& plan : planned_)
        groups_.push_back(plan.size());
    if (limits.kind == small_kind::multi)
        add_several();
}

void small_world::add_several() {
    judge_.add(several, std::string(several.name));
    for (std::size_t i = 0; i < clients_.size(); ++i)
        several_.push_back(std::make_unique<small_several>(
            small_several::surroundings{.on = *clients_[i],
                                        .client = i,
                                        .clients = clients_.size(),
                                        .judge = judge_,
                                        .events = events_,
                                        .now = now_,
                                        .planted = protocol::mutation{limits_.planted}}));
    groups_.front() += limits_.tickets; // it names the locks in another order
}

// Once all that is under way has arrived, nobody waits whom nothing stands in the way of.
bool small_world::finds_forgotten() const {
    const auto is_away = [](const auto& client) { return !client->connection(); };
    return quiet() && std::none_of(clients_.begin(), clients_.end(), is_away) &&
           (lock_.finds_forgotten(server_.tree(), judge_) ||
            std::any_of(several_.begin(), several_.end(),
                        [](const auto& each) { return each->finds_forgotten(); }));
}

void small_world::take(const choice& next) {
    act(next);
    let_hear();
    forgotten_ = finds_forgotten();
}

// In the same instant, and not while a machine is at work.
void small_world::let_hear() {
    while (events_.step(now_)) {
    }
}

void small_world::start(const choice& next) {
    const auto who = next.client;
    planned_[who].erase(planned_[who].begin());
    begun_[who].push_back(next.ticket);
    if (lock_.takes_all(next.ticket))
        several_[who]->start(next.ticket, lock_.parts_for(who));
    else
        clients_[who]->acquire(now_, next.ticket, lock_.asked_by(next.ticket));
}

void small_world::release(const choice& next) {
    if (lock_.takes_all(next.ticket))
        several_[next.client]->release_all(next.ticket);
    else
        clients_[next.client]->release(now_, next.ticket);
}

void small_world::cancel(const choice& next) {
    --faults_[next.client].here;
    if (lock_.takes_all(next.ticket))
        several_[next.client]->cancel(next.ticket);
    else
        clients_[next.client]->cancel(now_, next.ticket);
}

void small_world::act(const choice& next) {
    auto& client = *clients_[next.client];
    switch (next.what) {
    case choice::kind::start:
        start(next);
        break;
    case choice::kind::release:
        release(next);
        break;
    case choice::kind::downgrade:
        client.downgrade(now_, next.ticket);
        break;
    case choice::kind::upgrade:
        client.upgrade(now_, next.ticket, small_numbers::writer_of(next.ticket, clients_.size()));
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
        cancel(next);
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
        for (const auto id : planned_[i]) {
            words.choice(lock_.kind_of(id));
            words.number(lock_.leases_of(id));
            words.number(lock_.sort_of(id));
        }
        clients_[i]->describe(words);
        if (!several_.empty())
            several_[i]->describe(words);
        server_.describe_sessions(i, words);
    }
    return words.digest();
}

std::uint64_t small_world::past() const {
    digest sum;
    server_.add_past_to(sum);
    for (const auto& client : clients_)
        client->add_past_to(sum);
    for (const auto& each : several_)
        each->add_past_to(sum);
    for (const auto& left : faults_)
        sum.add(left.here).add(left.there);
    for (const auto& plan : planned_)
        for (const auto id : plan)
            sum.add(static_cast<std::uint64_t>(lock_.kind_of(id)))
                .add(lock_.leases_of(id))
                .add(lock_.sort_of(id));
    state_words beliefs(now_, groups_); // whom an operator had forsaken when is no client's input
    describe_beliefs(beliefs);
    sum.add(beliefs.digest());
    sum.add(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
    return sum.value();
}

// The order of several holders of one lock, or of the largest tokens, says nothing: clients that
// are alike may be exchanged.
void small_world::describe_beliefs(state_words& to) const {
    to.part("beliefs");
    for (const auto& lock : judge_.locks()) {
        auto largest = lock.granted.largest();
        std::sort(largest.begin(), largest.end(),
                  [](const auto& one, const auto& other) { return one.takes < other.takes; });
        to.number(largest.size());
        for (const auto& each : largest) {
            to.number(each.takes);
            to.zxid_beside(static_cast<std::int64_t>(each.token.czxid));
        }
    }
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        to.of_client(i);
        for (const auto& lock : judge_.locks())
            for (const auto id : clients_[i]->tickets()) {
                const auto& holders = lock.holders.holders();
                const auto found = std::find_if(holders.begin(), holders.end(),
                                                [id](const auto& each) { return each.who == id; });
                to.number(found == holders.end() ? 0 : found->takes);
            }
    }
}

std::vector<std::string> small_world::violations() const {
    auto result = promises::texts_of(judge_);
    if (stuck_)
        result.emplace_back("a ticket waits for ever");
    if (forgotten_)
        result.emplace_back("a ticket waits, and nothing stands in its way");
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
            while (client->connection() && !client->connection()->down.empty()) {
                client->hear(now_);
                let_hear();
            }
        }
        if (quiet())
            pass_time();
        let_hear();
    }
    for (const auto& what : lock_.left_on(server_))
        judge_.left(what);
}

} // namespace turnstile::test
