// SPDX-License-Identifier: BSL-1.0
// The modelled network between a client and the servers.
#pragma once

#include "model_caller.hpp"

#include "protocol/time/instant.hpp"
#include "protocol/wire/port.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace turnstile::test {

class model_ensemble;

/// What a link tells its client. Never called from within a function of the port.
struct link_events {
    std::function<void(model_session session, protocol::duration timeout)> connected;
    std::function<void(protocol::disconnect_reason)> disconnected;
    std::function<void(protocol::request_id, const protocol::reply&)> replied;
    std::function<void(protocol::watch_event, const std::string&)> fired;
    std::function<void(const std::string&)> trace;  // may be empty
    std::function<void(const std::string&)> report; // what the port may not be asked
};

/// The port of one client: it has at most one connection at a time, to one server of the ensemble.
/// Both directions of a connection take time and can be stopped. Its owner makes it for a client,
/// and may end or disturb its connections as faults do.
class model_link : public protocol::port {
public:
    model_link(model_ensemble& ensemble, link_events events)
        : ensemble_(ensemble), events_(std::move(events)) {}
    model_link(const model_link&) = delete;
    model_link& operator=(const model_link&) = delete;

    void connect(const protocol::connect_request& to) override;
    void send(protocol::request_id id, const protocol::request& what) override;
    void drop() override;
    void close_session() override;

    /// Breaks the connection, and tells the client. Requests on their way may still arrive, replies
    /// are lost.
    void end_connection(protocol::disconnect_reason why = protocol::disconnect_reason::lost);
    /// The same as a fault, from which undisturbed_since() counts.
    void cut();
    /// From now on requests vanish, or replies, or both. Nobody is told.
    void black_hole(bool requests, bool replies);
    /// Until then every new connection fails, but to the server that let_back_to() names.
    void lock_out_until(protocol::instant when) {
        locked_out_until_ = when;
        let_back_to_.reset();
    }
    void let_back_to(std::size_t server) { let_back_to_ = server; }
    /// Whether no fault was done to its connections since then.
    bool undisturbed_since(protocol::instant when) const {
        return disturbed_ <= when && locked_out_until_ <= when;
    }
    /// The server that it is connected to, or is about to be; nothing if there is none.
    std::optional<std::size_t> server() const;
    /// The last zxid that the server had applied when it took the connection.
    std::int64_t met_at() const;

private:
    class wire; // one connection

    model_ensemble& ensemble_;
    link_events events_;
    std::shared_ptr<wire> wire_; // null: not connected
    protocol::instant locked_out_until_{};
    protocol::instant disturbed_{}; // the last fault
    std::optional<std::size_t> let_back_to_;
};

} // namespace turnstile::test
