// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "fixture.hpp"
#include "steering.hpp"
#include "support/pch.hpp"
#include "support/pump.hpp"
#include "verdicts.hpp"

namespace turnstile::matrix {

inline std::string milliseconds_of(std::chrono::steady_clock::duration span) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(span).count()) +
           " ms";
}

/// Runs one cell: puts everybody in place, has the fault happen, steers what comes after, lets
/// everybody be served, and holds what it saw against the invariants.
class scenario {
public:
    scenario(const server_set& where, const cell& what, std::uint64_t seed)
        : fixture_{where, what, seed}, verdicts_{fixture_} {}

    /// What was wrong; empty if all was well.
    std::vector<std::string> run() {
        try {
            set_up();
            take_place();
            verdicts_.before_fault();
            steering afterwards{fixture_};
            cause();
            afterwards.await_fault();
            cancel();
            if (fixture_.what.at->before != setting::nobody_else)
                let_last_join();
            afterwards.run();
            verdicts_.after_steering();
            let_last_join();
            serve_everybody();
            verdicts_.after_service();
            serve_once_more();
            verdicts_.after_second_round();
            verdicts_.before_end();
            end();
            verdicts_.at_end();
        } catch (const std::exception& e) {
            verdicts_.add(e.what());
        }
        auto found = verdicts_.all();
        if (!found.empty())
            found.push_back("longest pause of the cell's thread: " +
                            milliseconds_of(fixture_.longest_pause()));
        return found;
    }

private:
    void set_up() {
        auto& s = fixture_;
        s.open_only({s.home});
        s.first.connect();
        s.last.connect();
        s.until("the lucky sessions are connected",
                [&] { return s.first.connected && s.last.connected; });
        if (!s.what.lock->parts.empty())
            make_parts();
        else if (s.what.at->before == setting::empty_path)
            make_path();
        if (s.what.at->behind_holder && !s.first.user.holds()) {
            s.first.user.acquire();
            s.until("the first one holds the lock", [&] { return s.first.user.holds(); });
        }
        if (s.what.at->from == standing::unconnected)
            return;
        s.unlucky.connect();
        s.until("the unlucky session is connected",
                [&] { return s.unlucky.connected.has_value(); });
    }
    // The lock path exists, and is empty.
    void make_path() {
        auto& s = fixture_;
        s.last.user.acquire();
        s.until("the path is made", [&] { return s.last.user.holds(); });
        s.last.user.release();
        s.until("the path is free", [&] { return s.last.is_done(); });
    }
    // The lock paths of several.
    void make_parts() {
        auto& s = fixture_;
        s.make(s.path.substr(0, s.path.rfind('/')));
        s.make(s.path);
        for (const auto& part : s.what.lock->parts)
            s.make(s.path + part);
    }
    void take_place() {
        auto& s = fixture_;
        if (s.what.at->from == standing::waiting) {
            wait();
        } else if (s.what.at->from == standing::holding) {
            hold();
        } else if (s.what.at->from == standing::unresolved) {
            lose_answer();
        }
        // Where the fault comes with the hand-over, the next one has to be there before.
        if (s.what.at->may_believe() && s.what.at->stands())
            let_last_join();
    }
    void wait() {
        auto& s = fixture_;
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
    void hold() {
        auto& s = fixture_;
        s.unlucky.user.acquire();
        s.until("the unlucky one holds the lock", [&] { return s.unlucky.user.holds(); });
    }
    // What was asked for was carried out, and the unlucky one does not know.
    void lose_answer() {
        auto& s = fixture_;
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
    void cause() {
        auto& s = fixture_;
        switch (s.what.at->cause) {
        case trigger::acquire:
            if (s.what.at->from == standing::unconnected)
                s.unlucky.connect();
            return s.unlucky.user.acquire();
        case trigger::release:
            return s.unlucky.user.release();
        case trigger::close:
            return s.unlucky.close();
        case trigger::downgrade:
            return s.unlucky.user.downgrade();
        case trigger::upgrade:
            return s.unlucky.user.upgrade();
        case trigger::way_back:
            return s.open_only({s.home});
        case trigger::predecessor_release:
            if (s.what.what == fault::ticket_deletion)
                delete_waiting_ticket();
            return s.first.user.release();
        case trigger::cut:
            return s.home_proxy().cut_all();
        case trigger::time:
            return;
        }
    }
    // Of several locks the first one is held, and the ticket of the second one waits.
    void delete_waiting_ticket() {
        auto& s = fixture_;
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
    void cancel() {
        auto& s = fixture_;
        if (!s.what.at->cancels)
            return;
        s.unlucky.user.cancel();
        s.until("the acquire is given up", [&] { return s.unlucky.user.completed > 0; });
    }
    void let_last_join() {
        auto& s = fixture_;
        if (!s.last.is_done() || s.last.user.holds())
            return; // it has
        s.last.user.acquire();
        s.until_seen("the last one is in line",
                     [&] { return s.last.user.holds() || s.waits(s.last.line.id()); });
    }
    void serve_everybody() {
        auto& s = fixture_;
        for (const auto each : s.participants())
            each->move_on(s.draws.between(2, 8));
        const auto limit = s.what.is_of_event() ? s.timeout * 5 / 4 : s.patience();
        for (const auto each : s.participants())
            s.until(
                "everybody is served", [&] { return each->is_done(); }, limit);
    }
    void serve_once_more() {
        auto& s = fixture_;
        for (const auto each : s.participants())
            if (!each->closed)
                each->user.acquire();
        for (const auto each : s.participants())
            s.until("everybody is served once more", [&] { return each->is_done(); });
    }
    void end() {
        auto& s = fixture_;
        for (const auto each : s.participants())
            if (!each->closed)
                each->close();
        for (const auto each : s.participants())
            s.until("all sessions are closed", [&] { return each->closed.has_value(); });
        if (test::pump_until(
                s.context, [] { return false; }, s.patience()) != test::pumped::nothing_left)
            throw std::runtime_error{"work is left after everything was closed"};
    }

    fixture fixture_;
    verdicts verdicts_;
};

} // namespace turnstile::matrix
