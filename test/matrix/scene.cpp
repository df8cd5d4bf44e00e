#include "scene.hpp"

#include "support/pump.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>

namespace turnstile::matrix {
namespace {

std::string milliseconds_of(std::chrono::steady_clock::duration span) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(span).count()) +
           " ms";
}

} // namespace

std::vector<std::string> scene::play() {
    try {
        set_up();
        take_place();
        verdicts_.before_fault();
        steering afterwards{stage_};
        cause();
        afterwards.await_fault();
        think_again();
        afterwards.after_thought();
        if (stage_.what.at->scenery != setting::nobody_else)
            let_last_join();
        afterwards.run();
        verdicts_.after_steering();
        let_last_join();
        serve_everybody();
        verdicts_.after_service();
        serve_once_more();
        verdicts_.after_encore();
        verdicts_.before_end();
        end();
        verdicts_.at_end();
    } catch (const std::exception& e) {
        verdicts_.add(e.what());
    }
    auto found = verdicts_.all();
    if (!found.empty())
        found.push_back("longest pause of the cell's thread: " +
                        milliseconds_of(stage_.longest_pause()));
    return found;
}

void scene::take_place() {
    auto& s = stage_;
    if (s.what.at->from == standing::waiting) {
        wait();
    } else if (s.what.at->from == standing::holding || s.what.at->from == standing::reading ||
               s.what.at->from == standing::writing) {
        hold();
        change();
    } else if (s.what.at->from == standing::unresolved) {
        lose_answer();
    }
    // Where the fault comes with the hand-over, the next one has to be there before.
    if (s.what.at->may_believe() && s.what.at->stands() && s.what.at->scenery != setting::overtaken)
        let_last_join();
}

void scene::wait() {
    auto& s = stage_;
    if (s.unlucky.side) { // it waits there
        s.unlucky.user.acquire();
        return s.until_seen("the unlucky one has looked",
                            [&] { return s.watches(s.unlucky.side->id()); });
    }
    test::proxy_rule rule;
    s.what.lock->looked.aim(rule, s.path, s.unlucky.line.id());
    const auto looked = s.home_proxy().add_rule(rule);
    s.unlucky.user.acquire();
    s.until("the unlucky one has looked", [&] { return s.home_proxy().hits(looked) > 0; });
}

void scene::hold() {
    auto& s = stage_;
    s.unlucky.user.acquire();
    s.until("the unlucky one holds the lock", [&] { return s.unlucky.user.holds(); });
}

void scene::change() {
    auto& s = stage_;
    if (s.what.at->from == standing::reading) {
        s.unlucky.user.downgrade();
        s.until("the unlucky one is a reader", [&] { return s.unlucky.is_done(); });
    } else if (s.what.at->from == standing::writing) {
        s.unlucky.user.upgrade();
        s.until("the unlucky one is a writer", [&] { return s.unlucky.is_done(); });
    }
}

// What was asked for was carried out, and the unlucky one does not know.
void scene::lose_answer() {
    auto& s = stage_;
    const auto& at = *s.what.at;
    if (at.lost_by == trigger::predecessor_release)
        wait();
    else if (at.lost_by == trigger::downgrade || at.lost_by == trigger::upgrade)
        hold();
    test::proxy_rule rule{.action = test::action::cut_after, .outage = true};
    at.lost.aim(rule, s.path, s.unlucky.line.id());
    const auto lost = s.home_proxy().add_rule(rule);
    if (at.lost_by == trigger::predecessor_release)
        s.first.user.release();
    else if (at.lost_by == trigger::downgrade)
        s.unlucky.user.downgrade();
    else if (at.lost_by == trigger::upgrade)
        s.unlucky.user.upgrade();
    else
        s.unlucky.user.acquire();
    s.until("the answer is lost", [&] { return s.home_proxy().hits(lost) > 0; });
    s.until("the unlucky one has noticed", [&] { return !s.unlucky.is_connected(); });
}

void scene::think_again() {
    auto& s = stage_;
    switch (s.what.at->then) {
    case second_thought::none:
        return;
    case second_thought::cancel:
        s.unlucky.user.cancel();
        break;
    case second_thought::close:
        s.unlucky.close();
        break;
    }
    s.until("the acquire is given up", [&] { return s.unlucky.user.completed > 0; });
}

void scene::cause() {
    auto& s = stage_;
    switch (s.what.at->cause) {
    case trigger::acquire:
        if (s.what.at->from == standing::unconnected)
            s.unlucky.connect();
        return s.unlucky.user.acquire();
    case trigger::release:
        return s.unlucky.user.release();
    case trigger::cancel:
        s.unlucky.user.cancel();
        break;
    case trigger::close:
        return s.unlucky.close();
    case trigger::downgrade:
        return s.unlucky.user.downgrade();
    case trigger::upgrade:
        return s.what.at->scenery == setting::overtaken ? be_overtaken() : s.unlucky.user.upgrade();
    case trigger::way_back:
        break;
    case trigger::predecessor_release:
        if (s.what.what == fault::ticket_deletion)
            delete_waiting_ticket();
        return s.first.user.release();
    case trigger::cut:
        return s.home_proxy().cut_all();
    case trigger::time:
        return;
    }
    if (s.what.at->from == standing::unresolved)
        s.open_only({s.home});
}

// Of several locks the first one is held, and the ticket of the second one waits.
void scene::delete_waiting_ticket() {
    auto& s = stage_;
    const std::size_t tickets = s.what.lock->parts.empty() ? 1 : 2;
    s.until_seen("no ticket is on its way back",
                 [&] { return s.nodes_of(s.unlucky).size() == tickets; });
    std::string ticket; // the last one
    for (const auto& line : s.what.lock->lines)
        for (const auto& name : s.eyes.children(s.path + line))
            if (s.eyes.info(s.path + line + '/' + name).ephemeral_owner == s.unlucky.line.id())
                ticket = s.path + line + '/' + name;
    if (const int told = s.eyes.client().remove(ticket); told != 0)
        throw std::runtime_error{"deleting " + ticket + ": " + std::to_string(told)};
}

// Between the question whether the unlucky one is alone, and the transaction.
void scene::be_overtaken() {
    auto& s = stage_;
    test::proxy_rule rule{.action = test::action::hold};
    const frame_pattern transaction{test::direction::to_server, test::op::multi,
                                    frame_pattern::about::ticket, test::op::check,
                                    test::op::create};
    transaction.aim(rule, s.path, s.unlucky.line.id());
    const auto held = s.home_proxy().add_rule(rule);
    s.unlucky.user.upgrade();
    s.until("the upgrade is on its way", [&] { return s.home_proxy().hits(held) > 0; });
    let_last_join();
    s.home_proxy().release_held();
}

void scene::let_last_join() {
    auto& s = stage_;
    if (!s.last.is_done() || s.last.user.holds())
        return; // it has
    s.last.user.acquire();
    s.until_seen("the last one is in line",
                 [&] { return s.last.user.holds() || s.waits(s.last.line.id()); });
}

void scene::serve_everybody() {
    auto& s = stage_;
    for (const auto each : s.players())
        each->move_on(s.draws.between(2, 8));
    const auto limit = s.what.is_of_event() ? s.timeout * 5 / 4 : s.patience();
    for (const auto each : s.players())
        s.until(
            "everybody is served", [&] { return each->is_done(); }, limit);
}

void scene::serve_once_more() {
    auto& s = stage_;
    for (const auto each : s.players())
        if (!each->closed)
            each->user.acquire();
    for (const auto each : s.players())
        s.until("everybody is served once more", [&] { return each->is_done(); });
}

void scene::end() {
    auto& s = stage_;
    for (const auto each : s.players())
        if (!each->closed)
            each->close();
    for (const auto each : s.players())
        s.until("all sessions are closed", [&] { return each->closed.has_value(); });
    if (test::pump_until(
            s.context, [] { return false; }, s.patience()) != test::pumped::nothing_left)
        throw std::runtime_error{"work is left after everything was closed"};
}

} // namespace turnstile::matrix
