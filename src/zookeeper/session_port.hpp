// SPDX-License-Identifier: BSL-1.0
// What stands below a session: the C client, or a model of the servers in a test.
#pragma once

#include "protocol/names/server_list.hpp"
#include "protocol/wire/port.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace turnstile::zookeeper {

/// What a port tells, in order, on its strand and never from within a call of the port.
class client_events {
public:
    virtual ~client_events() = default;
    virtual void on_connected(const protocol::credentials& session, protocol::duration timeout) = 0;
    virtual void on_disconnected(protocol::disconnect_reason why) = 0;
    virtual void on_reply(protocol::request_id id, const protocol::reply& answer) = 0;
    virtual void on_watch(protocol::watch_event what, const std::string& node) = 0;
    /// Why the attempt or the connection ends that session_port::server() names; its end comes
    /// next.
    virtual void on_trouble(const std::string& cause) = 0;
    /// A list of set_servers() takes the place of the one before: with so many servers, of which
    /// this one is to be used first. `stays`: it is the one of the present connection. An attempt
    /// or a connection at another one is not at a server of the list, and ends next by drop().
    virtual void on_servers(std::size_t count, std::size_t first, bool stays) = 0;
    /// The list before stays in use, and the new one will be tried again.
    virtual void on_servers_failed(const std::string& causes) = 0;
    /// The C client's own words.
    virtual void on_log(std::string_view text) = 0;
    /// Something threw, and the exception goes on to the executor's caller. abandon() is all
    /// that the port is fit for now.
    virtual void on_failure() noexcept = 0;
};

/// All members are called on the session's strand.
class session_port : public protocol::port {
public:
    /// The caller has nothing more to send for now: what was sent since the last turn leaves, in
    /// one write. Not later, or what a handler does next would hold it back.
    virtual void end_turn() = 0;
    /// Ends without a word to anybody: tells the server that the session is over if that can be
    /// done at once, and lets go of the executor.
    virtual void abandon() noexcept = 0;
    /// Uses these servers as soon as one of them can be reached: on_servers(). Takes the place of a
    /// list that was not reached yet.
    virtual void set_servers(protocol::server_list list) = 0;
    /// Nothing can be lost: waits no longer for a server of a new list to be reached.
    virtual void stop_trying_servers() = 0;
    /// The server of this attempt or connection, or of the last one: "host:port", as configured.
    virtual const std::string& server() const = 0;
};

} // namespace turnstile::zookeeper
