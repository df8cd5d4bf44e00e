// SPDX-License-Identifier: BSL-1.0
#include "protocol/election/leader_watch.hpp"

#include <algorithm>

namespace turnstile::protocol {

std::vector<path_question::numbered_request> leader_watch::next() {
    std::vector<numbered_request> flight;
    if (stages_[line] == stage::due)
        flight.push_back({line, first_.question()});
    if (stages_[proclaimed] == stage::due)
        flight.push_back({proclaimed,
                          {.op = follows_ ? operation::exists : operation::get,
                           .path = node_,
                           .watch = follows_}});
    std::replace(stages_.begin(), stages_.end(), stage::due, stage::asked);
    return flight;
}

bool leader_watch::starts_over() {
    if (!first_.start_over())
        return false;
    stages_[line] = stage::due;
    return true;
}

void leader_watch::on_answer_to(std::size_t number, const reply& answer) {
    if (refused(answer.code))
        return end(failure_of_read(answer.code), answer.code);
    const bool known = number == proclaimed || first_.on_answer(answer);
    stages_.at(number) = known ? stage::answered : stage::due;
    if (number == proclaimed)
        proclamation_ = answer.data;
    if (stages_ == std::array{stage::answered, stage::answered})
        update();
}

void leader_watch::update() {
    const auto& first = first_.found();
    leader now{.czxid = first.stat.czxid,
               .session = first.stat.ephemeral_owner,
               .ctime = first.stat.ctime,
               .who = ticket_data::parse(first.data).value_or(ticket_data())};
    const auto mine = proclamation_of(static_cast<std::uint64_t>(now.czxid), {});
    if (proclamation_.starts_with(mine)) // else it is another leader's
        now.who.value = proclamation_.substr(mine.size());
    // A repeated read may show nothing new.
    has_news_ = !found_ || now.czxid != found_->czxid || now.session != found_->session ||
                now.who.value != found_->who.value;
    found_ = std::move(now);
    if (!follows_)
        end(failure::none);
}

} // namespace turnstile::protocol
