// SPDX-License-Identifier: BSL-1.0
// The interface between a session and its servers: the C client implements it, or the test kit's
// model.
#pragma once

#include "protocol/names/server_list.hpp"
#include "protocol/wire/port.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace turnstile::zookeeper {

/// What a port reports, in order, on its strand, and never from within a call of the port.
/// session_driver implements it. Each attempt that fails, and each connection, ends with one
/// on_disconnected().
class client_events {
public:
    virtual ~client_events() = default;
    virtual void on_connected(const protocol::credentials& session, protocol::duration timeout) = 0;
    virtual void on_disconnected(protocol::disconnect_reason why) = 0;
    virtual void on_reply(protocol::request_id id, const protocol::reply& answer) = 0;
    virtual void on_watch(protocol::watch_event what, const std::string& node) = 0;
    /// Why the present attempt or connection ends (session_port::server() names its server). Its
    /// on_disconnected() comes next.
    virtual void on_trouble(const std::string& cause) = 0;
    /// The list of set_servers() is in use now. It has `count` servers, and `first` is the index of
    /// the one to use first. `stays`: that is the server of the present connection. Otherwise the
    /// present attempt or connection is at a server that is not in the list, and has to be ended by
    /// drop().
    virtual void on_servers(std::size_t count, std::size_t first, bool stays) = 0;
    /// No server of the new list could be reached. The old list stays in use, and the new one is
    /// tried again.
    virtual void on_servers_failed(const std::string& causes) = 0;
    /// A line of the C client's log.
    virtual void on_log(std::string_view text) = 0;
    /// Something threw, and the exception goes on to the executor's caller. Only abandon() may be
    /// called from now on.
    virtual void on_failure() noexcept = 0;
};

/// The port of one session, with what a session needs beyond the machine. session_backend makes it.
/// All members are called on the session's strand.
class session_port : public protocol::port {
public:
    /// The caller has nothing more to send for now: all that was sent since the last turn leaves in
    /// one write, at once. (Later, the next handler's work would hold it back.)
    virtual void end_turn() = 0;
    /// Ends the connection, and reports nothing from now on. Tells the server that the session is
    /// over if that can be done at once. Leaves no work in the executor.
    virtual void abandon() noexcept = 0;
    /// Uses these servers as soon as one of them can be reached, and then reports on_servers().
    /// Forgets the list of an earlier call if none of its servers was reached yet.
    virtual void set_servers(protocol::server_list list) = 0;
    /// Uses the new list at once: the session holds nothing that could be lost.
    virtual void stop_trying_servers() = 0;
    /// The server of this attempt or connection, or of the last one: "host:port", as configured.
    virtual const std::string& server() const = 0;
};

} // namespace turnstile::zookeeper
