// SPDX-License-Identifier: BSL-1.0
// Runs the steps of SASL on a thread, for they may block.
#pragma once

#include "zookeeper/sasl_exchange.hpp"
#include "zookeeper/session_strand.hpp"
#include "zookeeper/step_worker.hpp"

#include <memory>
#include <set>
#include <string>
#include <utility>

namespace turnstile::zookeeper {

/// The SASL exchanges of one session. `client` owns it, and calls it on the strand. Only one step
/// runs at a time: if an attempt ends within a step, the first step of the next attempt waits until
/// that one is over. It then has what that step got, such as a ticket.
class sasl_login {
public:
    using handler = step_worker<sasl_step>::handler;

    sasl_login(const session_strand& executor, std::shared_ptr<const sasl> how)
        : executor_(executor), how_(std::move(how)) {}
    ~sasl_login() { cancel(); }
    sasl_login(const sasl_login&) = delete;
    sasl_login& operator=(const sasl_login&) = delete;

    /// Finds out whether the settings can be used here.
    void check(handler done) {
        auto look = [how = how_] {
            auto wrong = how->trouble();
            const bool unusable = !wrong.empty();
            return sasl_step{.wrong = std::move(wrong), .unusable = unusable};
        };
        worker_->start(executor_, std::move(look), std::move(done));
    }
    /// Begins an exchange with the server of that name. `done` runs on the strand.
    void begin(const std::string& server, handler done) {
        server_ = server;
        exchange_ = how_->with(server, refused_by_.contains(server));
        auto first = [exchange = exchange_] { return exchange->begin(); };
        worker_->start(executor_, std::move(first), std::move(done));
    }
    void answer(std::string server_token, handler done) {
        auto next = [exchange = exchange_, token = std::move(server_token)] {
            return exchange->answer(token);
        };
        worker_->start(executor_, std::move(next), std::move(done));
    }
    /// A step is under way, or waits for its turn.
    bool is_busy() const { return worker_->is_awaited(); }
    /// The exchange has succeeded.
    void succeed() noexcept {
        refused_by_.erase(server_);
        cancel();
    }
    /// The server has refused us. Returns whether another exchange with it may help: perhaps it
    /// refused an older ticket, for a key that it no longer has.
    bool may_help_again() {
        return exchange_ && how_->has_tickets() && refused_by_.insert(server_).second;
    }
    /// No handler runs any more.
    void cancel() noexcept {
        worker_->forget();
        exchange_.reset();
    }

    std::string identity() const { return how_->identity(); }

private:
    session_strand executor_;
    std::shared_ptr<const sasl> how_;
    const std::shared_ptr<step_worker<sasl_step>> worker_ =
        std::make_shared<step_worker<sasl_step>>();
    std::shared_ptr<sasl_exchange> exchange_; // the one of this connection
    std::string server_;                      // the server of the last exchange
    std::set<std::string> refused_by_;        // servers that have refused us since a success
};

} // namespace turnstile::zookeeper
