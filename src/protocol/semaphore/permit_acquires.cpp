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
    for (auto i = answer.results.size() - wish.permits; i < answer.results.size(); ++i) {
        const std::string_view made = permits.emplace_back(answer.results[i].path);
        const auto name = permit_name::parse(made.substr(made.rfind('/') + 1));
        highest = std::max(highest, name ? name->sequence : sequence_limit); // past its end
    }
    return highest;
}

failure permit_acquire::refusal(const reply& answer) const {
    using enum zookeeper_code;
    const auto step = failed_step(answer);
    switch (answer.code) {
    case bad_version:
        return failure::none;
    case no_node: // the semaphore is gone, or another program has deleted a part of it
        return step == check_limit ? failure::none : failure::wrong_kind;
    case no_auth:
        if (step == check_limit || step == answer.results.size())
            return failure::read_denied;
        if (step == remove_ticket && stands_in_line())
            return failure::release_denied;
        return step < first_permit ? failure::write_denied : failure::create_denied;
    case node_exists: // the server's counter sticks at its end
        return failure::sequence_exhausted;
    default:
        return failure::server_error;
    }
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
        if (std::ranges::find(which, permit_phase{who->phase}) != which.end())
            result.push_back(id);
    return result;
}

bool permit_acquires::any_stand_in_line() const {
    return find_if([](const permit_acquire& who) { return who.stands_in_line(); }) != nullptr;
}

permit_acquire* permit_acquires::first() const {
    return find_if([](const permit_acquire& who) { return who.phase == permit_phase::first; });
}

permit_acquire* permit_acquires::maker() const {
    return find_if([](const permit_acquire& who) {
        return who.phase == permit_phase::starting && who.wish.stated_limit;
    });
}

permit_acquire* permit_acquires::taker_in(std::uint64_t attempt) const {
    return find_if([attempt](const permit_acquire& who) {
        return who.stands_in_line() && !who.is_open() && who.unknown_takes.contains(attempt);
    });
}

bool permit_acquires::own(const permit_name& name, const std::string& node) const {
    return find_if([&](const permit_acquire& who) {
               return (who.is_open() && who.attempt == name.attempt) ||
                      std::ranges::find(who.permits, node) != who.permits.end();
           }) != nullptr;
}

void permit_acquires::add(std::unique_ptr<permit_acquire> who) {
    const auto id = who->id;
    all_.emplace(id, std::move(who));
}

std::unique_ptr<permit_acquire> permit_acquires::extract(permit_acquire& who) {
    take_out_of_line(who);
    return std::move(all_.extract(who.id).mapped());
}

void permit_acquires::put_in_line(permit_acquire& who, ticket_id place) {
    who.place = place;
    places_[place] = who.id;
}

ticket_id permit_acquires::take_out_of_line(permit_acquire& who) {
    places_.erase(who.place);
    return std::exchange(who.place, 0);
}

} // namespace turnstile::protocol
