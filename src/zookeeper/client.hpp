// SPDX-License-Identifier: BSL-1.0
// The port to a real ensemble: the C client under an Asio reactor.
#pragma once

#include "protocol/names/server_list.hpp"
#include "zookeeper/connection.hpp"
#include "zookeeper/fork_guard.hpp"
#include "zookeeper/identity.hpp"
#include "zookeeper/resolver.hpp"
#include "zookeeper/sasl_login.hpp"
#include "zookeeper/server_move.hpp"
#include "zookeeper/session_port.hpp"
#include "zookeeper/session_socket.hpp"
#include "zookeeper/session_strand.hpp"
#include "zookeeper/tls_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::zookeeper {

struct client_options {
    protocol::server_list servers;
    std::shared_ptr<const access> rights;
    std::optional<tls_options> tls{}; // were found usable
    std::shared_ptr<const sasl> identity{};
    int log_level = 2;
};

/// All members are called on the strand. Handlers that are pending in the reactor hold no client
/// alive: they find it gone.
class client final : public session_port, public std::enable_shared_from_this<client> {
public:
    client(const session_strand& executor, client_options options, client_events& events);
    ~client() override;
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    void connect(const protocol::connect_request& to) override;
    void send(protocol::request_id id, const protocol::request& what) override;
    void drop() override;
    void close_session() override;

    void end_turn() override;
    void abandon() noexcept override;
    void set_servers(protocol::server_list list) override;
    void stop_trying_servers() override;
    const std::string& server() const override { return server_; }

private:
    enum class phase : std::uint8_t {
        idle,       // no connection, and no attempt
        naming,     // no address is chosen yet
        connecting, // an attempt at an address, up to the answer to the handshake
        connected,
        closing, // the close frame was sent
    };

    template <class Work>
    void guard(Work work);
    /// What the reactor calls: by then the connection that it is meant for may be gone, or the
    /// client. `work` takes the client, and the error and the count of a read where it cares.
    template <class Work>
    auto later(Work work);
    bool is_at_one_of(const protocol::server_list& list) const;
    void on_move();
    void use_new_servers();

    /// The same for a step of SASL.
    template <class Work>
    auto later_step(Work work);
    void await_name();
    void use_address();
    void secure(const boost::asio::ip::tcp::endpoint& server);
    /// SASL's first step comes before ZooKeeper's handshake: where it fails, no server has made a
    /// session in vain.
    void begin_login(const boost::asio::ip::tcp::endpoint& server);
    void start_handshake(const boost::asio::ip::tcp::endpoint& server,
                         const sasl_step* first = nullptr);
    void on_login_answer(const frames::sasl_answer& answer);
    void go_on_with_login(const sasl_step& step);
    void read();
    void on_read(const boost::system::error_code& error, std::size_t count);
    void flush();
    void pump();
    void deliver(const connection_event& event);
    void let_go() noexcept;
    void fail(std::string cause,
              protocol::disconnect_reason why = protocol::disconnect_reason::lost);
    void finish(protocol::disconnect_reason why);
    protocol::disconnect_reason reason_of_loss();
    protocol::disconnect_reason reason_of_refusal();
    void finish_later();
    std::string cause_of(const boost::system::error_code& error);
    void record_cause(std::string cause);

    const fork_guard process_;
    session_strand executor_;
    client_options options_;
    client_events& events_;
    std::unique_ptr<resolver> resolver_;
    std::shared_ptr<server_move> move_; // under way
    std::shared_ptr<server_move> next_; // over: in force from the end of this connection on
    protocol::connect_request attempt_; // of this attempt or connection, or of the last one
    strand_timer name_limit_;
    std::unique_ptr<connection> connection_;
    std::vector<connection_event> delivered_; // the last ones
    session_socket socket_;
    std::optional<sasl_login> login_;
    bool login_is_told_ = false; // the last token was sent
    std::string server_;
    std::string trouble_;          // what was wrong first in this attempt or connection
    std::uint64_t generation_ = 0; // of the connection; handlers of earlier ones are stale
    phase phase_ = phase::idle;
    bool ending_ = false;        // the end of this connection is on its way, whatever the phase
    std::size_t last_reads_ = 0; // since the end was asked for
    bool blocked_ = false;       // the kernel takes no more for now
    bool pumping_ = false;       // what is sent leaves when this is over
};

} // namespace turnstile::zookeeper
