// SPDX-License-Identifier: BSL-1.0
#include "protocol/election/first_ticket.hpp"

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <optional>

namespace turnstile::protocol {

std::string first_ticket::first_in(const std::vector<std::string>& children) const {
    std::optional<std::pair<std::int32_t, std::string>> first;
    for (const auto& child : children) {
        // The node of a single_node_mutex has no number, and is the first.
        const auto place = child == holder_name ? contender{} : parse_contender(child);
        if (!place || strays_.contains(child))
            continue;
        const std::pair here(place->sequence, child);
        first = first ? std::min(*first, here) : here;
    }
    return first ? first->second : std::string();
}

request first_ticket::question() const {
    switch (step_) {
    case step::listing:
        return {.op = operation::get_children, .path = path_};
    case step::awaiting_ticket: // new children are of interest only here
        return {.op = operation::get_children, .path = path_, .watch = true};
    case step::awaiting_path:
        return {.op = operation::exists, .path = path_, .watch = true};
    case step::reading:
        break;
    }
    return {.op = operation::get, .path = path_ + '/' + node_, .watch = follows_};
}

bool first_ticket::on_answer(const reply& answer) {
    const bool was_known = std::exchange(is_known_, false);
    if (was_known) // a stray may have gone, and another node may have its name
        strays_.clear();
    if (step_ == step::reading)
        return on_read(answer, was_known);
    if (step_ == step::awaiting_path)
        return answer.code == zookeeper_code::ok ? enter(step::listing) : know({});
    return on_listed(answer);
}

bool first_ticket::on_read(const reply& answer, bool was_known) {
    const bool found = answer.code == zookeeper_code::ok;
    const bool is_ticket = found && answer.stat.ephemeral_owner != 0;
    if (found && !is_ticket)
        strays_.insert(node_);
    // Another ticket of the same name need not be the first.
    const bool is_other = was_known && answer.stat.czxid != found_.stat.czxid;
    return is_ticket && !is_other ? know(answer) : enter(step::listing);
}

bool first_ticket::on_listed(const reply& answer) {
    node_ = first_in(answer.children);
    if (!node_.empty())
        return enter(step::reading);
    if (!follows_)
        return know({});
    if (answer.code != zookeeper_code::ok)
        return enter(step::awaiting_path);
    return step_ == step::listing ? enter(step::awaiting_ticket) : know({});
}

bool first_ticket::start_over() {
    if (step_ != step::reading || is_known_)
        return false;
    step_ = step::listing;
    return true;
}

bool first_ticket::enter(step next) {
    step_ = next;
    return false;
}

bool first_ticket::know(const reply& found) {
    found_ = found;
    is_known_ = true;
    return true;
}

} // namespace turnstile::protocol
