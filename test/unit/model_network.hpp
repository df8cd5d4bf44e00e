// Connections between the machines and the modelled server: latency, order, cuts, hangs, expiry.
#pragma once

#include "event_queue.hpp"
#include "model_server.hpp"

#include "protocol/port.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>

namespace turnstile::test {

class model_network;

/// What a link tells its client. Never called from within a function of the port.
struct link_events {
    std::function<void(std::int64_t session, protocol::duration timeout)> connected;
    std::function<void(protocol::disconnect_reason)> disconnected;
    std::function<void(protocol::request_id, const protocol::reply&)> replied;
    std::function<void(protocol::watch_event, const std::string&)> fired;
    std::function<void(const std::string&)> trace;
};

/// The port of one client.
class model_link : public protocol::port {
public:
    model_link(model_network& network, link_events events)
        : network_(network), events_(std::move(events)) {}
    model_link(const model_link&) = delete;
    model_link& operator=(const model_link&) = delete;

    void connect(const protocol::connect_request& to) override;
    void send(protocol::request_id id, const protocol::request& what) override;
    void drop() override;
    void close_session() override;

    /// The connection breaks. What is under way to the server may still arrive there, as long as
    /// the session has not come back on another connection; what is under way back is lost.
    void cut(protocol::disconnect_reason why = protocol::disconnect_reason::lost);
    /// From now on nothing arrives on one side, or on both, and nobody is told.
    void hang(bool requests, bool replies);
    bool up() const { return wire_ != nullptr; }

private:
    friend class model_network;
    struct wire {
        model_server::connection_id id = 0;
        model_server::session_id session = 0;
        bool open_here = true;
        bool open_there = false; // the server has the session on this connection
        bool hung_up = false;    // requests
        bool hung_down = false;  // replies
        std::optional<protocol::instant> discard_from; // requests that arrive later are lost
        protocol::instant last_up{};
        protocol::instant last_down{};
    };

    void up(const std::shared_ptr<wire>& on, std::function<void()> arrived);
    void execute_late(const std::shared_ptr<wire>& on, const protocol::request& what);
    void down(const std::shared_ptr<wire>& on, std::function<void()> arrived);
    void shake_hands(const std::shared_ptr<wire>& on, model_server::session_id wanted);

    model_network& network_;
    link_events events_;
    std::shared_ptr<wire> wire_;
};

class model_network {
public:
    model_network(event_queue& events, std::uint64_t seed, protocol::duration timeout);
    model_network(const model_network&) = delete;
    model_network& operator=(const model_network&) = delete;

    model_server& server() { return server_; }
    event_queue& events() { return events_; }
    std::mt19937_64& random() { return random_; }
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    protocol::duration up_to(protocol::duration longest);

    /// An operator ends a session; its connection is closed a moment later.
    void kill(model_server::session_id session);
    /// The server refuses or ignores connections until then.
    void close_door_until(protocol::instant when) { door_closed_until_ = when; }
    /// Creates on their way when a connection breaks may be carried out after the reconnect, as
    /// behind an ObserverMaster.
    void hold_creates_back(bool on) { creates_held_back_ = on; }
    bool door_open() const { return events_.now() >= door_closed_until_; }

private:
    friend class model_link;

    void touch(model_server::session_id session);
    void expire_later(model_server::session_id session);

    event_queue& events_;
    std::mt19937_64 random_;
    protocol::duration timeout_;
    model_server server_;
    model_server::connection_id last_connection_ = 0;
    protocol::instant door_closed_until_{};
    bool creates_held_back_ = false;
    std::map<model_server::session_id, protocol::instant> heard_;
    struct attachment {
        std::shared_ptr<model_link::wire> wire;
        model_link* link;
    };
    std::map<model_server::session_id, attachment> attached_;
    std::map<model_server::connection_id, attachment> connections_;
};

} // namespace turnstile::test
