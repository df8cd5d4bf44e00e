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
#include "zookeeper/tls_contexts.hpp"

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
    std::optional<tls_options> tls{};
    std::shared_ptr<const sasl> identity{};
    int log_level = 2;
};

/// The connection of one session to the ensemble. Each connect() makes one attempt: it looks up the
/// server's name, connects a socket, and speaks TLS and SASL if they are asked for. Then it feeds
/// one `connection` (a handle of the C client) until that one ends. `phase_` says how far it is.
/// Each attempt or connection ends with exactly one on_disconnected(), after which the next
/// connect() may come; only abandon() ends it without one.
///
/// Its maker (session_driver) owns it by a shared pointer, and calls it on the session's strand.
/// Handlers that wait in the reactor have a weak pointer, and the number of the connection that
/// they are meant for: if the client or that connection is gone, they do nothing.
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
        preparing,  // TLS and SASL are made ready, or the server's name is looked up
        connecting, // an address was chosen, and the handshake is not answered yet
        connected,  // the handshake was answered
        closing,    // the frame that closes the session was handed over to be sent
    };

    /// Does the work. If it throws, on_failure() is called before the exception goes on.
    template <class Work>
    void call_reporting(Work work);
    /// Makes a handler for the reactor. It does nothing once this connection or the client is gone,
    /// or if its operation was cancelled. `work` takes the client, and, if it has parameters for
    /// them, the error and the count of bytes.
    template <class Work>
    auto later(Work work);
    /// Makes a handler for what a thread has done: the reading of TLS files, or a step of SASL. It
    /// does nothing either once the connection is ending, while reads go on to the end.
    template <class Work>
    auto later_step(Work work);

    bool is_at_one_of(const protocol::server_list& list) const;
    /// A server of the new list was reached.
    void on_move();
    void use_new_servers();

    void take_tls_context();
    /// Before the first attempt that needs it.
    void check_login();
    void look_up_name();
    /// Limits the wait for the look-up.
    void await_name();
    /// Connects the socket to the address that is due.
    void use_address();
    /// Begins TLS when other sessions of the context leave a turn for it (handshake_turns).
    void await_turn(const boost::asio::ip::tcp::endpoint& server);
    void begin_tls(const boost::asio::ip::tcp::endpoint& server);
    /// SASL's first step comes before ZooKeeper's handshake: if that step fails, no server has made
    /// a session in vain.
    void begin_login(const boost::asio::ip::tcp::endpoint& server);
    /// Makes the C client's handle, which writes the handshake. `first`: SASL's first step, if SASL
    /// is spoken.
    void start_handshake(const boost::asio::ip::tcp::endpoint& server,
                         const sasl_step* first = nullptr);
    void on_login_answer(const frames::sasl_answer& answer);
    void on_login_step(const sasl_step& step);

    void read();
    void on_read(const boost::system::error_code& error, std::size_t count);
    /// Writes the output to the socket, as far as the kernel takes it.
    void flush();
    /// Gives the C client what has arrived, and reports the events that come of it.
    void pump();
    void report_event(const connection_event& event);

    /// Frees the socket and the C client's handle. All handlers that wait become stale.
    void free_connection() noexcept;
    /// Ends the attempt or the connection now, with its one on_disconnected().
    void finish(protocol::disconnect_reason why);
    /// Ends the attempt or the connection now, with a cause for the log.
    void fail(std::string cause,
              protocol::disconnect_reason why = protocol::disconnect_reason::lost);
    /// Ends it soon: what has arrived is read and reported before, unless the handler of an answer
    /// has asked for the end.
    void finish_later();
    // These pick the address that is due next, and say whether one is due in this round.
    protocol::disconnect_reason advance_after_loss();
    protocol::disconnect_reason advance_after_refusal();
    std::string cause_of(const boost::system::error_code& error);
    void record_cause(std::string cause);
    /// What the attempt or the connection has waited for in vain.
    std::string what_is_missing() const;

    const fork_guard process_;
    session_strand executor_;
    client_options options_;
    client_events& events_;
    std::unique_ptr<resolver> resolver_;
    std::shared_ptr<server_move> tried_move_;   // to a list of which no server was reached yet
    std::shared_ptr<server_move> reached_move_; // its list is used from this connection's end on
    protocol::connect_request attempt_;         // what the last connect() asked for
    strand_timer name_limit_; // until known addresses are used while the look-up goes on
    std::unique_ptr<connection> connection_;                 // none before the handshake
    std::vector<connection_event> reported_;                 // kept for its memory
    std::shared_ptr<boost::asio::ssl::context> tls_context_; // of this attempt
    session_socket socket_;
    std::optional<sasl_login> login_;  // if the session has an identity of SASL
    bool is_login_checked_ = false;    // its settings can be used here
    bool has_sent_last_token_ = false; // SASL needs no more tokens of ours: the server decides
    std::string server_;               // "host:port", as configured
    std::string trouble_;              // the first cause of this attempt's or connection's end
    std::uint64_t generation_ = 0;     // goes up with each end: older handlers are stale
    phase phase_ = phase::idle;
    bool ending_ = false;        // finish_later() was called: nothing is sent any more
    std::size_t last_reads_ = 0; // reads that have ended while ending_
    bool blocked_ = false;       // the socket takes no more: flush() goes on when it does
    bool pumping_ = false;       // pump() runs, and will flush when it is done
};

} // namespace turnstile::zookeeper
