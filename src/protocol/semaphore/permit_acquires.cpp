// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/permit_acquires.hpp"

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

std::int32_t permit_acquire::keep(const reply& answer, std::int64_t of_permits,
                                  std::uint64_t connection) {
    std::int32_t highest = -1;
    czxid = of_permits;
    shown_on = connection;
    permits.clear();
    for (auto i = answer.results.size() - wish.leases; i < answer.results.size(); ++i) {
        const auto& made = answer.results[i].path;
        permits.push_back(made.substr(made.rfind('/') + 1));
        const auto name = permit_name::parse(permits.back());
        highest = std::max(highest, name ? name->sequence : sequence_limit); // past its end
    }
    return highest;
}

template <class Condition>
permit_acquire* permit_acquires::find_if(Condition is_it) const {
    for (const auto& [id, who] : all_)
        if (is_it(*who))
            return who.get();
    return nullptr;
}

permit_acquire* permit_acquires::find(ticket_id id) const {
    const auto found = all_.find(id);
    return found == all_.end() ? nullptr : found->second.get();
}

permit_acquire* permit_acquires::at(ticket_id place) const {
    const auto found = places_.find(place);
    return found == places_.end() ? nullptr : find(found->second);
}

permit_acquire* permit_acquires::after(ticket_id id) const {
    const auto next = all_.upper_bound(id);
    return next == all_.end() ? nullptr : next->second.get();
}

std::vector<ticket_id> permit_acquires::in(phases which) const {
    std::vector<ticket_id> result;
    for (const auto& [id, who] : all_)
        if (std::ranges::find(which, permit_phase{who->now}) != which.end())
            result.push_back(id);
    return result;
}

bool permit_acquires::stand_in_line() const {
    return find_if([](const permit_acquire& who) { return who.stands_in_line(); }) != nullptr;
}

permit_acquire* permit_acquires::first() const {
    const auto who = find(first_);
    return who && who->now == permit_phase::first ? who : nullptr;
}

permit_acquire* permit_acquires::maker() const {
    return find_if([](const permit_acquire& who) {
        return who.now == permit_phase::starting && who.wish.stated_limit;
    });
}

permit_acquire* permit_acquires::taker_in(std::uint64_t attempt) const {
    return find_if([attempt](const permit_acquire& who) {
        return who.stands_in_line() && !who.is_open() && who.unknown_takes.contains(attempt);
    });
}

bool permit_acquires::own(const permit_name& name, const std::string& text) const {
    return find_if([&](const permit_acquire& who) {
               return (who.is_open() && who.attempt == name.attempt) ||
                      std::ranges::find(who.permits, text) != who.permits.end();
           }) != nullptr;
}

void permit_acquires::add(std::unique_ptr<permit_acquire> who) {
    const auto id = who->id;
    all_.emplace(id, std::move(who));
}

void permit_acquires::erase(permit_acquire& who) {
    const auto id = who.id;
    take_out_of_line(who);
    all_.erase(id);
}

void permit_acquires::put_in_line(permit_acquire& who, ticket_id place) {
    who.place = place;
    places_[place] = who.id;
}

ticket_id permit_acquires::take_out_of_line(permit_acquire& who) {
    if (first_ == who.id)
        first_ = 0;
    places_.erase(who.place);
    return std::exchange(who.place, 0);
}

} // namespace turnstile::protocol
