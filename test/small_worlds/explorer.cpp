#include "explorer.hpp"

#include "digest_set.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace turnstile::test {

namespace {

using choices = std::vector<small_world::choice>;

/// A state on the way, and what was or will be done there.
struct branch {
    std::uint64_t state = 0;
    choices open;
    std::size_t taken = 0;     // index of the one we are in
    std::vector<choices> more; // where one of those changed a belief, the next set is tried too
    bool changed_belief = false;

    /// The next choice, if any is left.
    bool advance() {
        if (taken + 1 < open.size())
            return ++taken, true;
        while (std::exchange(changed_belief, false) && !more.empty()) {
            const auto set = std::move(more.front());
            more.erase(more.begin());
            for (const auto& each : set)
                if (std::find(open.begin(), open.end(), each) == open.end())
                    open.push_back(each);
            if (taken + 1 < open.size())
                return ++taken, true;
            changed_belief = true;
        }
        return false;
    }
};

class search {
public:
    search(const small_limits& limits, const explorer::settings& how, const small_deal& deal,
           digest_set& seen, explorer::result& found)
        : limits_(limits), how_(how), deal_(deal), seen_(seen), found_(found) {}

    void run() {
        begin();
        enter();
        while (!over_ && !way_.empty()) {
            if (!way_.back().advance()) {
                way_.pop_back();
                continue;
            }
            repeat();
            take();
            enter();
        }
    }

private:
    void begin() { world_ = std::make_unique<small_world>(limits_, deal_); }

    void repeat() {
        begin();
        for (std::size_t i = 0; i + 1 < way_.size(); ++i)
            step(way_[i]);
    }

    void step(const branch& at) {
        world_->take(at.open[at.taken]);
        ++found_.steps;
    }

    void take() {
        const auto before = world_->changes_of_belief();
        step(way_.back());
        way_.back().changed_belief |= world_->changes_of_belief() != before;
    }

    std::uint64_t digest() const {
        return how_.by_past ? world_->past() : world_->state(how_.forgotten);
    }

    // Time has passed in between, so it would pass for ever.
    void check_for_circle(std::uint64_t state) {
        if (std::any_of(way_.begin(), way_.end(),
                        [state](const branch& at) { return at.state == state; }))
            stop({"a ticket waits for ever"});
    }

    // Goes down as long as the states are new.
    void enter() {
        while (!stops()) {
            const auto state = digest();
            if (!seen_.insert(state))
                return check_for_circle(state);
            if (++found_.states % 100'000 == 0 && how_.progress)
                how_.progress(found_.states);
            auto all = world_->choices();
            const bool ended = world_->finished() && world_->quiet();
            if (ended && !all.empty()) {
                way_.push_back({.state = state, .open = std::move(all), .more = {}});
                end();
                if (over_)
                    return;
                repeat();
                take();
                continue;
            }
            if (ended)
                return end();
            if (all.empty())
                return;
            auto sets = how_.reduced ? world_->enough() : std::vector<choices>{};
            sets.push_back(std::move(all));
            branch next{.state = state, .open = std::move(sets.front()), .more = {}};
            next.more.assign(std::next(sets.begin()), sets.end());
            way_.push_back(std::move(next));
            take();
        }
    }

    void end() {
        ++found_.ends;
        if (how_.keeps_end_states)
            found_.end_states.insert(world_->state());
        world_->run_out();
        stops();
    }

    void stop(std::vector<std::string> violations) {
        found_.violations = std::move(violations);
        for (const auto& at : way_)
            found_.way.push_back(at.open[at.taken].str());
        over_ = true;
    }

    bool stops() {
        if (auto violations = world_->violations(); !violations.empty())
            stop(std::move(violations));
        return over_ |= found_.states >= how_.most_states;
    }

    const small_limits& limits_;
    const explorer::settings& how_;
    const small_deal& deal_;
    digest_set& seen_;
    explorer::result& found_;
    std::unique_ptr<small_world> world_;
    std::vector<branch> way_;
    bool over_ = false;
};

std::size_t tickets_of(const small_limits& limits, std::size_t session) {
    return limits.tickets / limits.sessions + (session < limits.tickets % limits.sessions ? 1 : 0);
}

// Sessions with one ticket, or none, differ in nothing but numbers. (The first one names several
// locks in another order.)
bool is_in_order(const small_limits& limits, const small_deal& deal) {
    const auto faults = [&](std::size_t i) {
        return std::tie(deal.faults[i].here, deal.faults[i].there);
    };
    for (std::size_t i = limits.kind == small_kind::multi ? 2 : 1; i < limits.sessions; ++i) {
        const auto tickets = tickets_of(limits, i);
        if (tickets > 1 || tickets != tickets_of(limits, i - 1))
            continue;
        // The first ticket of a session has the session's number.
        if (tickets == 1 && deal.sorts[i - 1] != deal.sorts[i]) {
            if (deal.sorts[i - 1] < deal.sorts[i])
                return false;
        } else if (faults(i - 1) < faults(i)) {
            return false;
        }
    }
    return true;
}

void deal_faults(const small_limits& limits, small_deal& deal, std::vector<small_deal>& to) {
    const auto fill = [&](const auto& self, std::size_t slot, std::size_t left) -> void {
        auto& client = deal.faults[slot / 2];
        auto& number = slot % 2 == 0 ? client.here : client.there;
        const bool last = slot + 1 == 2 * limits.sessions;
        for (number = last ? left : 0; number <= left; ++number) {
            if (!last)
                self(self, slot + 1, left - number);
            else if (is_in_order(limits, deal))
                to.push_back(deal);
        }
        number = 0;
    };
    fill(fill, 0, limits.faults);
}

} // namespace

std::vector<small_deal> explorer::deals(const small_limits& limits) {
    std::vector<small_deal> result;
    small_deal deal{.faults = std::vector<small_faults>(limits.sessions),
                    .sorts = std::vector<std::uint8_t>(limits.tickets)};
    const auto next_mix = [&] { // as one counts up
        for (auto& each : deal.sorts) {
            if (++each < limits.sorts())
                return true;
            each = 0;
        }
        return false;
    };
    do
        deal_faults(limits, deal, result);
    while (next_mix());
    return result;
}

explorer::result explorer::explore(const small_limits& limits, const settings& how) {
    result found;
    digest_set seen; // a state knows which faults are left, so the searches share what they saw
    for (const auto& deal : deals(limits)) {
        search(limits, how, deal, seen, found).run();
        if (!found.violations.empty() || found.states >= how.most_states)
            return found;
    }
    found.complete = true;
    return found;
}

} // namespace turnstile::test
