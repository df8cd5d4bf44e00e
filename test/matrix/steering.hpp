// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "fixture.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <stdexcept>

namespace turnstile::matrix {

/// The fault, and what comes after it.
class steering {
public:
    /// Arms the fault: the next frame of the step meets it.
    explicit steering(fixture& s)
        : s_{s}, effect_{effect_of(s.what.what)}, id_{s.unlucky.line.id()} {
        auto rule = rule_of(s.what.what);
        s.what.at->frame.aim(rule, s.path, id_);
        // A client that loses its connection finds no other one before it is let back.
        rule.outage = effect_ != effect::none;
        rule_ = s.home_proxy().add_rule(rule);
    }

    /// Until the fault has been done.
    void await_fault() {
        s_.until("the fault has met its frame", [&] {
            const bool met = s_.home_proxy().hits(rule_) > 0;
            const bool lost = s_.unlucky.user.loss || (id_ != 0 && s_.unlucky.line.id() != id_);
            if (!met && lost && !s_.what.at->closes())
                throw std::runtime_error{"session or lock lost before the fault"};
            return met;
        });
    }
    /// Leads the unlucky session to where the cell says, and waits until it is there.
    void run() {
        if (effect_ == effect::none)
            return;
        s_.open_only({});
        if (s_.what.at->closes())
            return s_.until("the session is closed", [&] { return s_.unlucky.closed.has_value(); });
        if (s_.what.after == recovery::session_end)
            end_session();
        else if (s_.what.what == fault::hold_till_left)
            s_.until("the client has left",
                     [&] { return s_.home_proxy().stats().ended_by_client > 0; });
        if (s_.what.what == fault::hold_till_left)
            deliver_held();
        let_back();
        if (s_.what.what == fault::hold_till_back)
            deliver_held();
    }

private:
    void end_session() {
        const auto newest = s_.sessions.newest(1);
        if (newest.empty())
            throw std::runtime_error{"there is no session to end"};
        if (s_.what.ends_at_server())
            test::insist_on_expiry(s_.where.address(s_.draws.below(s_.where.size())), newest[0]);
        s_.until_over(newest[0].id);
    }
    void deliver_held() {
        s_.home_proxy().release_held();
        if (s_.what.what == fault::hold_till_left) // where no new connection is yet
            s_.until("what was held has gone on",
                     [&] { return s_.home_proxy().stats().open_connections == 0; });
    }
    void let_back() {
        const auto before = handshakes();
        switch (s_.what.after) {
        case recovery::same_server:
            s_.open_only({s_.home});
            break;
        case recovery::another_server:
            s_.open_only(s_.other_servers());
            break;
        case recovery::session_end:
            s_.open_only({0, 1, 2});
            break;
        }
        s_.until("the client is back",
                 [&] { return handshakes() > before && s_.unlucky.is_connected(); });
    }
    [[nodiscard]] std::uint64_t handshakes() const {
        std::uint64_t result = 0;
        for (const auto& proxy : s_.proxies)
            result += proxy->stats().count(test::direction::to_client, test::op::connect);
        return result;
    }

    fixture& s_;
    const effect effect_;
    std::int64_t id_; ///< of the session before the fault
    test::rule_id rule_;
};

} // namespace turnstile::matrix
