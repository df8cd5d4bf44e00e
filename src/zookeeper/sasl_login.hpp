// SPDX-License-Identifier: BSL-1.0
// Runs the steps of SASL on a thread, for they may block.
#pragma once

#include "zookeeper/sasl_exchange.hpp"
#include "zookeeper/session_strand.hpp"

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace turnstile::zookeeper {

/// Of one session. There is a thread only while a step runs, and one at most: where an attempt ends
/// within a step, the step of the next attempt waits for it. What that step got, such as a ticket,
/// is there for the next one. The thread owns all that it touches, and nothing waits for it.
class sasl_login {
public:
    using handler = std::function<void(const sasl_step&)>;

    sasl_login(const session_strand& executor, std::shared_ptr<const sasl> how);
    ~sasl_login() { cancel(); }
    sasl_login(const sasl_login&) = delete;
    sasl_login& operator=(const sasl_login&) = delete;

    /// On a new connection to the server of that name. `done` runs on the strand.
    void begin(const std::string& server, handler done);
    void answer(std::string server_token, handler done);
    /// A step is under way, or waits for its turn.
    bool is_busy() const;
    /// The exchange has come to its good end.
    void succeed() noexcept;
    /// The server refused us within the exchange. Whether another one with it may help: what it
    /// refused may be an older ticket, of a key that it has no more.
    bool may_help_again();
    /// No handler runs any more.
    void cancel() noexcept;

    std::string identity() const { return how_->identity(); }

private:
    class worker;

    session_strand executor_;
    std::shared_ptr<const sasl> how_;
    std::shared_ptr<worker> worker_;
    std::shared_ptr<sasl_exchange> exchange_; // of this connection
    std::string server_;                      // of this exchange, or of the last one
    std::set<std::string> refused_by_;        // servers that have not taken us since
};

} // namespace turnstile::zookeeper
