#include "protocol/queue/line_survey.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace turnstile::protocol {

namespace {

// So that a long line does not stand in the way of the session's own requests.
constexpr std::size_t longest_flight = 64;

// Where it stands in line, or that it is the one node of a lock without a line.
std::optional<contender> place_of(const std::string& child) {
    return child == holder_name ? contender{.ours = true} : parse_contender(child);
}

} // namespace

std::vector<line_survey::question> line_survey::next() {
    if (!has_next())
        return {};
    if (asked_ == 0) {
        asked_ = 1;
        return {{.number = 0, .what = {.op = operation::get_children, .path = path_}}};
    }
    std::vector<question> flight;
    while (asked_ <= most_ && asked_ <= line_.size() && flight.size() < longest_flight) {
        const auto& which = line_[asked_ - 1];
        flight.push_back(
            {.number = asked_, .what = {.op = operation::get, .path = path_ + '/' + which.node}});
        ++asked_;
    }
    return flight;
}

void line_survey::on_answer(std::size_t number, const reply& answer) {
    ++answered_;
    if (number == 0)
        on_list(answer);
    else
        on_data(line_[number - 1], answer);
    if (answered_ < asked_ || (why_ == failure::none && asked_ <= std::min(most_, line_.size())))
        return;
    find_holders();
    over_ = true;
}

void line_survey::on_list(const reply& answer) {
    if (answer.code == zookeeper_code::no_node)
        return; // nobody has ever stood here, or nobody for long
    if (answer.code != zookeeper_code::ok) {
        code_ = answer.code;
        why_ = failure_of_read(code_);
        return;
    }
    for (const auto& child : answer.children)
        if (const auto place = place_of(child))
            line_.push_back({.node = child, .place = *place});
    std::sort(line_.begin(), line_.end(), [](const line_member& a, const line_member& b) {
        return std::tie(a.place.sequence, a.node) < std::tie(b.place.sequence, b.node);
    });
}

void line_survey::on_data(line_member& which, const reply& answer) {
    using enum line_member::knowledge;
    which.known = answer.code == zookeeper_code::ok        ? told
                  : answer.code == zookeeper_code::no_node ? gone
                                                           : refused;
    if (which.known != told)
        return;
    which.stat = answer.stat;
    which.data = answer.data;
    which.who = ticket_data::parse(answer.data);
}

void line_survey::find_holders() {
    // A ticket goes with its session. A node that stays is none, whatever it is called.
    std::erase_if(line_, [](const line_member& each) {
        return each.known == line_member::knowledge::told && each.stat.ephemeral_owner == 0;
    });
    bool first = true;
    bool readers_only = true;
    for (auto& each : line_) {
        const bool shared = each.place.kind == ticket_kind::shared;
        each.holds = shared ? readers_only : first;
        readers_only = readers_only && shared;
        first = false;
    }
}

} // namespace turnstile::protocol
