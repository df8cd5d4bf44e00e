// SPDX-License-Identifier: BSL-1.0
#include "protocol/inspect/line_survey.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

namespace turnstile::protocol {

namespace {

// At most so many requests go at once: a long line must not hold up the session's own requests.
constexpr std::size_t longest_flight = 64;

// The place of a child: in line, among the permits, or as the one node of a lock without a line.
// Nothing if it is neither a ticket nor a permit.
std::optional<contender> place_of(std::string_view folder, const std::string& child) {
    if (folder == permits_name) {
        const auto name = permit_name::parse(child);
        return name ? std::optional(contender{.sequence = name->sequence, .ours = true})
                    : std::nullopt;
    }
    return child == holder_name ? contender{.ours = true} : parse_contender(child);
}

bool is_permit(const participant& which) {
    return which.node.starts_with(permits_name) && which.node[permits_name.size()] == '/';
}

} // namespace

std::size_t line_survey::request_count() const {
    return folders_.size() + std::min(most_, line_.size());
}

std::vector<path_question::numbered_request> line_survey::next() {
    std::vector<numbered_request> flight;
    if (over() || answered_ < asked_)
        return flight;
    for (; asked_ < folders_.size(); ++asked_) {
        request listing{.op = operation::get_children, .path = path_};
        if (const auto folder = folders_[asked_]; !folder.empty())
            listing.path.append(1, '/').append(folder);
        flight.push_back({.number = asked_, .what = std::move(listing)});
    }
    if (!flight.empty())
        return flight;
    while (asked_ < request_count() && flight.size() < longest_flight) {
        const auto& which = line_[asked_ - folders_.size()];
        flight.push_back(
            {.number = asked_, .what = {.op = operation::get, .path = path_ + '/' + which.node}});
        ++asked_;
    }
    return flight;
}

void line_survey::on_answer_to(std::size_t number, const reply& answer) {
    ++answered_;
    if (number < folders_.size())
        on_list(folders_[number], answer);
    else
        on_data(line_[number - folders_.size()], answer);
    if (answered_ == folders_.size())
        sort();
    const bool failed = list_error_ != zookeeper_code::ok;
    if (answered_ < asked_ || (!failed && asked_ < request_count()))
        return;
    find_holders();
    end(failed ? failure_of_read(list_error_) : failure::none, list_error_);
}

void line_survey::on_list(std::string_view folder, const reply& answer) {
    if (answer.code == zookeeper_code::no_node)
        return; // no ticket ever stood here, or none for long
    if (answer.code != zookeeper_code::ok) {
        list_error_ = answer.code;
        return;
    }
    const bool is_lock_path = folder.empty();
    if (is_lock_path && std::ranges::count(answer.children, queue_name) > 0 &&
        std::ranges::count(answer.children, permits_name) > 0)
        folders_.insert(folders_.end(), {queue_name, permits_name}); // it is a semaphore
    std::string prefix(folder);
    if (!is_lock_path)
        prefix += '/';
    for (const auto& child : answer.children)
        if (const auto place = place_of(folder, child))
            line_.push_back({{.node = prefix + child,
                              .shared = place->kind == ticket_kind::shared,
                              .foreign = !place->ours},
                             place->sequence});
}

// Permits come before tickets, and each by its number.
void line_survey::sort() {
    std::ranges::sort(line_, [](const member& a, const member& b) {
        return std::tuple(!is_permit(a), a.sequence, std::string_view(a.node)) <
               std::tuple(!is_permit(b), b.sequence, std::string_view(b.node));
    });
}

void line_survey::on_data(member& which, const reply& answer) {
    using enum participant::knowledge;
    which.known = answer.code == zookeeper_code::ok        ? answered
                  : answer.code == zookeeper_code::no_node ? gone
                                                           : denied;
    if (which.known != answered)
        return;
    which.data = answer.data;
    which.session_id = answer.stat.ephemeral_owner;
    which.created =
        std::chrono::system_clock::time_point{std::chrono::milliseconds{answer.stat.ctime}};
    if (auto who = ticket_data::parse(answer.data); who && !which.foreign) {
        which.host = std::move(who->host);
        which.pid = std::move(who->process);
        which.label = std::move(who->label);
    }
}

std::vector<participant> line_survey::take() {
    return {std::move_iterator(line_.begin()), std::move_iterator(line_.end())};
}

void line_survey::find_holders() {
    // A node that goes with no session is no ticket, whatever its name (I5). It is listed behind
    // the others, where a user can see and delete it.
    const auto strays = std::stable_partition(line_.begin(), line_.end(), [](const member& each) {
        return each.known != participant::knowledge::answered || each.session_id != 0;
    });
    // A ticket in the queue of a semaphore waits, even while permits are free: none of them counts
    // as the first.
    bool first = folders_.size() == 1;
    bool readers_only = first; // all before this one are readers
    for (auto at = line_.begin(); at != strays; ++at) {
        auto& each = *at;
        if (is_permit(each)) {
            each.holds = true;
            continue;
        }
        each.holds = each.shared ? readers_only : first;
        readers_only = readers_only && each.shared;
        first = false;
    }
}

} // namespace turnstile::protocol
