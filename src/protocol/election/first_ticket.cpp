// SPDX-License-Identifier: BSL-1.0
#include "protocol/election/first_ticket.hpp"

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <optional>

namespace turnstile::protocol {

// Empty: no ticket stands in line.
std::string first_ticket::first_in(const std::vector<std::string>& children) const {
    std::optional<std::pair<std::int32_t, std::string>> first;
    for (const auto& child : children) {
        const auto place = child == holder_name ? contender{} : parse_contender(child);
        if (!place || strays_.contains(child))
            continue;
        const std::pair here(place->sequence, child);
        first = first ? std::min(*first, here) : here;
    }
    return first ? first->second : std::string();
}

request first_ticket::question() const {
    switch (now_) {
    case step::listing:
        return {.op = operation::get_children, .path = path_};
    case step::awaiting_ticket: // new children are of interest only here
        return {.op = operation::get_children, .path = path_, .watch = true};
    case step::awaiting_path:
        return {.op = operation::exists, .path = path_, .watch = true};
    default:
        return {.op = operation::get, .path = path_ + '/' + node_, .watch = follows_};
    }
}

bool first_ticket::on_answer(const reply& answer) {
    const bool was_known = std::exchange(is_known_, false);
    if (was_known) // a stray may have gone, and another node may have its name
        strays_.clear();
    const bool found = answer.code == zookeeper_code::ok;
    if (now_ == step::awaiting_path)
        return found ? take_next(step::listing) : know({});
    if (now_ == step::reading) {
        const bool is_ticket = found && answer.stat.ephemeral_owner != 0;
        if (found && !is_ticket)
            strays_.insert(node_);
        // Another ticket of the same name need not be the first.
        const bool is_other = was_known && answer.stat.czxid != found_.stat.czxid;
        return is_ticket && !is_other ? know(answer) : take_next(step::listing);
    }
    node_ = first_in(answer.children);
    if (!node_.empty())
        return take_next(step::reading);
    if (!follows_)
        return know({});
    if (!found)
        return take_next(step::awaiting_path);
    return now_ == step::listing ? take_next(step::awaiting_ticket) : know({});
}

bool first_ticket::start_over() {
    if (now_ != step::reading || is_known_)
        return false;
    now_ = step::listing;
    return true;
}

bool first_ticket::take_next(step next) {
    now_ = next;
    return false;
}

bool first_ticket::know(const reply& found) {
    found_ = found;
    is_known_ = true;
    return true;
}

} // namespace turnstile::protocol
