// SPDX-License-Identifier: BSL-1.0
#include "session/leader_table.hpp"

#include "protocol/names/ticket_data.hpp"
#include "session/failure_codes.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

namespace turnstile::detail {

namespace {

using std::chrono::system_clock;

// For who awaits the next change later than it comes.
constexpr std::size_t most_seen = 64;

leader_info leader_of(const protocol::reply& first, const std::string& proclamation) {
    const auto token = static_cast<std::uint64_t>(first.stat.czxid);
    leader_info result;
    result.fencing_token = fencing_token(token);
    result.session_id = first.stat.ephemeral_owner;
    if (const auto who = protocol::ticket_data::parse(first.data)) {
        result.host = who->host;
        result.pid = who->process;
        result.label = who->label;
        result.value = who->value;
    }
    if (const auto mine = proclamation_of(token, {}); proclamation.starts_with(mine))
        result.value = proclamation.substr(mine.size()); // else it is another leader's
    return result;
}

} // namespace

leader_table::look_table::iterator leader_table::of_inquiry(protocol::inquiry_id inquiry) {
    return std::ranges::find_if(looks_, [&](const auto& each) {
        return each.second.line == inquiry || each.second.proclaimed == inquiry;
    });
}

void leader_table::await(const std::shared_ptr<lock_record>& of,
                         const std::optional<leader_info>& known, operation_id id,
                         operation&& waiting) {
    waiting_.add(id, {std::move(waiting), known}, of->group);
    for (const bool follows : {true, false})
        if (const auto before = looks_.find({of->group, follows});
            before != looks_.end() && (follows || !known))
            return tell(before);
    const auto line = of_.next_id();
    const auto proclaimed = of_.next_id();
    const bool follows = known.has_value();
    looks_.emplace(std::pair(of->group, follows),
                   look{.line = line,
                        .proclaimed = proclaimed,
                        .first = protocol::first_ticket(of->path, follows)});
    ask(line);
    of_.driver_->drive([&](auto& machine, auto now) {
        machine.inquire(now, proclaimed,
                        {.op = follows ? protocol::operation::exists : protocol::operation::get,
                         .path = proclamation_node_of(of->path),
                         .watch = follows});
    });
}

void leader_table::ask(protocol::inquiry_id line) {
    if (const auto which = of_inquiry(line); which != looks_.end())
        of_.driver_->drive([&](auto& machine, auto now) {
            machine.inquire(now, line, which->second.first.question());
        });
}

// The machine is at work here: what is asked next is asked in a turn of its own.
bool leader_table::on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer) {
    const auto which = of_inquiry(inquiry);
    if (which == looks_.end())
        return false;
    if (protocol::refused(answer.code))
        return on_failed(inquiry, protocol::failure_of_read(answer.code));
    auto& now = which->second;
    if (inquiry == now.proclaimed)
        now.proclamation = answer.data;
    else if (now.first.on_answer(answer))
        now.is_first_known = true;
    else
        of_.ask_later(inquiry);
    update(which);
    return true;
}

void leader_table::update(look_table::iterator which) {
    auto& [group, now] = *which;
    if (!now.is_first_known || !now.proclamation)
        return;
    const auto& first = now.first.found();
    auto found = leader_of(first, *now.proclamation);
    if (now.seen.empty())
        found.since = system_clock::time_point{std::chrono::milliseconds{first.stat.ctime}};
    else if (found.fencing_token == now.seen.back().fencing_token)
        found.since = now.seen.back().since;
    else
        found.since = system_clock::now();
    if (!now.seen.empty() && found == now.seen.back())
        return; // read again, and the same
    now.seen.push_back(std::move(found));
    if (now.seen.size() > most_seen)
        now.seen.pop_front();
    tell(which);
}

void leader_table::tell(look_table::iterator which) {
    const auto [group, follows] = which->first;
    const auto& now = which->second;
    if (now.seen.empty())
        return;
    for (const auto id : waiting_.members(group)) {
        const auto known = waiting_.find(id)->known;
        if (known && !follows)
            continue;
        auto next = known ? std::find(now.seen.rbegin(), now.seen.rend(), *known) : now.seen.rend();
        if (next == now.seen.rbegin())
            continue; // it knows the last one
        next = next == now.seen.rend() ? now.seen.rbegin() : std::prev(next);
        const auto leader = *next;
        waiting_.complete(id, {}, leader);
    }
    if (!follows)
        end(which);
}

void leader_table::end(look_table::iterator which) {
    of_.stop_later(which->second.line);
    of_.stop_later(which->second.proclaimed);
    looks_.erase(which);
}

bool leader_table::cancel(operation_id id, error_code result) {
    const auto group = waiting_.group_of(id);
    if (!group)
        return false;
    waiting_.complete(id, result, {});
    const auto once = looks_.find({*group, false});
    if (once != looks_.end() && std::ranges::all_of(waiting_.members(*group), [&](auto other) {
            return waiting_.find(other)->known.has_value();
        }))
        end(once);
    return true;
}

void leader_table::cancel_group(group_id group) {
    for (const bool follows : {true, false})
        if (const auto which = looks_.find({group, follows}); which != looks_.end())
            end(which);
    waiting_.complete_group(group, boost::asio::error::operation_aborted);
}

bool leader_table::on_failed(protocol::inquiry_id inquiry, protocol::failure why) {
    const auto which = of_inquiry(inquiry);
    if (which == looks_.end())
        return false;
    const auto [group, follows] = which->first;
    end(which);
    for (const auto id : waiting_.members(group))
        if (follows || !waiting_.find(id)->known)
            waiting_.complete(id, to_error_code(why), {});
    return true;
}

} // namespace turnstile::detail
