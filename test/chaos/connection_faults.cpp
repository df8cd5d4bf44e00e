// SPDX-License-Identifier: BSL-1.0
#include "connection_faults.hpp"

#include <optional>
#include <utility>

namespace turnstile::chaos {
namespace {

using std::chrono::milliseconds;
using test::action;
using test::direction;
using test::op;

constexpr double faults_per_minute = 75; // a run must have 60

/// The kind of a fault at one frame. A fault of all connections of a server has no kind: the server
/// may have had no connection.
std::optional<fault_kind> kind_of(action what) {
    switch (what) {
    case action::cut_before:
    case action::cut_after:
    case action::cut_within:
        return fault_kind::cut;
    case action::hold:
        return fault_kind::hold;
    case action::black_hole:
        return fault_kind::black_hole;
    case action::delay:
    case action::split:
    case action::wrong_bytes:
    case action::lose:
    case action::pass:
        break;
    }
    return std::nullopt;
}

std::string proxy_name(std::size_t proxy) { return "proxy-" + std::to_string(proxy + 1); }

const char* name_of(action what) {
    switch (what) {
    case action::cut_before:
        return "cut before";
    case action::cut_after:
        return "cut after";
    case action::cut_within:
        return "cut within";
    case action::hold:
        return "hold";
    case action::black_hole:
        return "black hole";
    case action::delay:
        return "delay";
    case action::split:
        return "split";
    case action::wrong_bytes:
        return "wrong bytes";
    case action::lose:
        return "lose";
    case action::pass:
        break;
    }
    return "pass";
}

} // namespace

connection_faults::connection_faults(proxies& all, schedule_book& book, const run_clock& clock,
                                     test::dice draws, int lose_one_in)
    : proxies_{all}, book_{book}, clock_{clock}, draws_{draws}, lose_one_in_{lose_one_in} {}

void connection_faults::run() {
    lose_events();
    auto next_fault = run_clock::clock::now();
    while (clock_.wait(milliseconds{20})) {
        undo_due();
        if (run_clock::clock::now() >= next_fault) {
            next_fault += draws_.between(100, 500); // more than a run needs: not all find a frame
            make_fault();
        }
    }
}

bool connection_faults::is_behind() const {
    const double minutes = std::chrono::duration<double, std::ratio<60>>(clock_.elapsed()).count();
    return static_cast<double>(book_.connection_faults()) < minutes * faults_per_minute;
}

void connection_faults::make_fault() {
    const auto proxy = draws_.below(proxies_.size());
    if (draws_.one_in(6))
        harm_all(proxy);
    else
        harm_at_a_frame(proxy);
}

void connection_faults::harm_at_a_frame(std::size_t proxy) {
    test::proxy_rule rule;
    rule.direction = draws_.one_of({direction::to_server, direction::to_client});
    rule.op = draws_.one_of({op::any, op::any, op::any, op::multi, op::multi, op::multi,
                             op::get_data, op::get_children, op::connect, op::watch_event});
    rule.nth = 1 + static_cast<int>(draws_.below(rule.op == op::any ? 40 : 4));
    if (is_behind()) {
        rule.op = op::any; // the next frame of this server, of whatever kind
        rule.nth = 1;
    }
    rule.action = draws_.one_of({action::cut_before, action::cut_before, action::cut_after,
                                 action::cut_after, action::cut_within, action::hold, action::hold,
                                 action::black_hole, action::delay, action::split});
    rule.both_ways = draws_.one_in(2);
    rule.time = rule.action == action::delay ? draws_.between(20, 800) : draws_.between(0, 20);
    rule.parts = 2 + draws_.below(4);
    const auto hold_time = draws_.between(50, 2'000);

    auto& harmed = *proxies_[proxy];
    const auto id = harmed.add_rule(rule);
    const bool hit = harmed.wait_until_hit(id, 1, milliseconds{400});
    harmed.remove_rule(id);
    if (!hit)
        return; // no such frame: nothing happened, and nothing is counted
    if (const auto kind = kind_of(rule.action))
        book_.happened(*kind);
    const bool timed = rule.action == action::hold || rule.action == action::delay;
    book_.connection_fault(name_of(rule.action) + std::string{" "} +
                               std::string{test::to_string(rule.op)} +
                               (rule.direction == direction::to_server ? " up" : " down"),
                           proxy_name(proxy),
                           rule.action == action::hold ? hold_time
                           : timed                     ? rule.time
                                                       : milliseconds{0});
    if (rule.action == action::hold)
        undo_later(hold_time, [&harmed] { harmed.release_held(); });
}

void connection_faults::harm_all(std::size_t proxy) {
    auto& harmed = *proxies_[proxy];
    const auto duration = draws_.between(100, 3'000);
    switch (draws_.below(3)) {
    case 0:
        harmed.cut_all();
        book_.connection_fault("cut all", proxy_name(proxy), milliseconds{0});
        break;
    case 1:
        harmed.set_outage(true,
                          draws_.one_of({test::refusal::reset, test::refusal::not_listening}));
        harmed.cut_all();
        book_.connection_fault("outage for all", proxy_name(proxy), duration);
        undo_later(duration, [&harmed] { harmed.set_outage(false); });
        break;
    default:
        harmed.set_black_hole(true);
        book_.connection_fault("black hole all", proxy_name(proxy), duration);
        undo_later(duration, [&harmed] { harmed.set_black_hole(false); });
        break;
    }
}

void connection_faults::lose_events() {
    for (const auto& proxy : proxies_) {
        if (lose_one_in_ != 0) {
            loss_rules_.push_back(proxy->add_rule({.direction = direction::to_client,
                                                   .op = op::watch_event,
                                                   .times = 0,
                                                   .every = lose_one_in_,
                                                   .action = action::lose}));
        }
    }
}

void connection_faults::undo_later(milliseconds delay, std::function<void()> end_fault) {
    undos_.push_back({run_clock::clock::now() + delay, std::move(end_fault)});
}

void connection_faults::undo_due() {
    const auto now = run_clock::clock::now();
    std::erase_if(undos_, [now](const undo& u) {
        if (u.due > now)
            return false;
        u.end_fault();
        return true;
    });
}

void connection_faults::heal() {
    undos_.clear();
    for (std::size_t i = 0; i < loss_rules_.size(); ++i) {
        book_.happened(fault_kind::lost_event,
                       static_cast<std::size_t>(proxies_[i]->hits(loss_rules_[i])));
    }
    loss_rules_.clear();
    for (const auto& proxy : proxies_) {
        proxy->clear_rules();
        proxy->release_held();
        proxy->set_outage(false);
        proxy->set_black_hole(false);
        proxy->cut_all(); // black holes that a rule made would stay until their clients give up
    }
}

} // namespace turnstile::chaos
