// SPDX-License-Identifier: BSL-1.0
// Drives the protocol machine of a session: with its connection, its timer and the clock.
#pragma once

#include "protocol/names/server_list.hpp"
#include "protocol/session/session_machine.hpp"
#include "session/session_backend.hpp"
#include "zookeeper/fork_guard.hpp"
#include "zookeeper/session_port.hpp"
#include "zookeeper/session_strand.hpp"

#include <turnstile/lease_clock.hpp>
#include <turnstile/options.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::detail {

/// The events of a driver: those of its machine but for the locks (protocol::listener), and its
/// own.
class driver_events : public protocol::listener {
public:
    /// An attempt at this server, or a connection to it, ends. The machine is notified next.
    virtual void on_trouble(const std::string& server, const std::string& cause) = 0;
    /// The list of the last set_servers() is in use.
    virtual void on_servers() = 0;
    /// The session's timer ran so late that a beat was missed.
    virtual void on_stall(protocol::duration late) = 0;
    /// A function threw, and the exception goes on to the caller of run(). The machine cannot be
    /// used any more: the owner calls abandon().
    virtual void on_failure() noexcept = 0;
};

/// Owns the session_machine, and all that belongs to the execution context: the connection
/// (session_port) and the timer. Each event of these becomes an input of the machine (`drive`).
/// session_impl owns it, and drops it when the context goes. All members but strand() are called on
/// the strand.
///
/// stop() ends the session when the session object is gone. abandon() ends it after a failure: from
/// then on the machine gets no more input.
class session_driver final : public std::enable_shared_from_this<session_driver>,
                             public zookeeper::client_events {
public:
    using strand_type = zookeeper::session_strand;

    session_driver(const strand_type& executor, const session_options& options,
                   const protocol::server_list& servers, driver_events& events,
                   protocol::lock_listener& lock_events);
    ~session_driver() override;

    const strand_type& strand() const { return strand_; }
    const protocol::session_machine& machine() const { return machine_; }
    protocol::yield_request request_to_yield(protocol::inquiry_id id, const std::string& path,
                                             const std::string& reason,
                                             protocol::ticket_id acquire = 0) {
        return machine_.request_to_yield(id, path, reason, acquire);
    }
    const std::string& server() const { return client_->server(); }
    /// The instant of the machine's last input.
    lease_clock::time_point input_began() const { return input_began_; }

    /// Hands the machine an input: calls `input` with the machine and the instant of this call.
    template <class Input>
    void drive(Input input) {
        if (abandoned_)
            return;
        begin_input();
        input(machine_, input_began_);
        client_->end_turn();
        arm();
    }
    /// Uses these servers once one of them can be reached, or at once if there is no session.
    void set_servers(protocol::server_list list);
    /// The session object is gone: the machine ends the session at once.
    void stop();
    /// After a failure: ends the session without asking the machine, which is not used again.
    void abandon() noexcept;

private:
    /// Takes the time of an input, and reports a stall.
    void begin_input();
    /// Starts the timer for the machine's next instant.
    void arm();
    void on_timer();

    void on_connected(const protocol::credentials& session, protocol::duration timeout) override;
    void on_disconnected(protocol::disconnect_reason why) override;
    void on_reply(protocol::request_id id, const protocol::reply& answer) override;
    void on_watch(protocol::watch_event what, const std::string& node) override;
    void on_trouble(const std::string& cause) override {
        events_.on_trouble(client_->server(), cause);
    }
    void on_servers(std::size_t count, std::size_t first, bool stays) override;
    void on_servers_failed(const std::string& causes) override;
    void on_log(std::string_view text) override { events_.on_note(log_level::debug, text); }
    void on_failure() noexcept override { events_.on_failure(); }

    const zookeeper::fork_guard process_;
    strand_type strand_;
    driver_events& events_;
    std::shared_ptr<zookeeper::session_port> client_;
    protocol::session_machine machine_;
    std::unique_ptr<session_timer> timer_;
    lease_clock::time_point input_began_{};
    std::optional<protocol::instant> armed_; // the timer runs until this instant
    bool stopped_ = false;                   // stop() or abandon() was called
    bool abandoned_ = false;                 // abandon() was called
};

} // namespace turnstile::detail
