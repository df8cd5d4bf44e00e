// SPDX-License-Identifier: BSL-1.0
// The protocol machine on the reactor: client below, clock beside.
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

/// What a driver tells: what the machine does, and its own end.
class driver_events : public protocol::listener {
public:
    /// An attempt at this server, or a connection to it, ends. The machine is notified next.
    virtual void on_trouble(const std::string& server, const std::string& cause) = 0;
    /// The session's own timer was heard so much later than asked for that a beat was missed.
    virtual void on_stall(protocol::duration late) = 0;
    /// Something threw, and the exception goes on to the caller of run(). The machine cannot be
    /// used any more: abandon() ends the session.
    virtual void on_failure() noexcept = 0;
};

/// Everything that belongs to the execution context, in one place, so that it can go with it. All
/// members but strand() are called on the strand.
class session_driver final : public std::enable_shared_from_this<session_driver>,
                             public zookeeper::client_events {
public:
    using strand_type = zookeeper::session_strand;

    session_driver(const strand_type& executor, const session_options& options,
                   const protocol::server_list& servers, driver_events& events);
    ~session_driver() override;

    const strand_type& strand() const { return strand_; }
    const protocol::session_machine& machine() const { return machine_; }
    protocol::yield_request request_to_yield(protocol::inquiry_id id, const std::string& path,
                                             const std::string& reason,
                                             protocol::ticket_id acquire = 0) {
        return machine_.request_to_yield(id, path, reason, acquire);
    }
    const std::string& server() const { return client_->server(); }
    /// When the machine was notified last.
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
    /// Uses these servers from the moment on when one of them can be reached, or at once where
    /// there is no session.
    void set_servers(protocol::server_list list);
    /// The session object is gone: the machine ends the session at once.
    void stop();
    /// After a failure: ends the session without asking the machine, which is not used again.
    void abandon() noexcept;

private:
    void begin_input();
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
    std::optional<protocol::instant> armed_;
    bool stopped_ = false;
    bool abandoned_ = false;
};

} // namespace turnstile::detail
