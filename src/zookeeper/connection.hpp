// SPDX-License-Identifier: BSL-1.0
// One TCP connection, as the C client has it.
#pragma once

#include "protocol/wire/message.hpp"
#include "protocol/wire/port.hpp"
#include "zookeeper/frames.hpp"
#include "zookeeper/identity.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

struct _zhandle;

namespace turnstile::zookeeper {

struct connection_options {
    std::string server; // numeric "host:port", and the chroot
    std::chrono::milliseconds timeout{};
    protocol::credentials session;
    std::shared_ptr<const access> rights;
    int log_level = 2;                       // ZOO_LOG_LEVEL_WARN
    std::optional<std::string> sasl_token{}; // our first one, if SASL is spoken
};

struct connected_event {
    protocol::credentials session;
    std::chrono::milliseconds timeout{};
};
struct reply_event {
    protocol::request_id id;
    protocol::reply answer;
};
struct watch_fired_event {
    protocol::watch_event what;
    std::string node;
};
/// Says what is wrong with the server. The connection to it ends next.
struct trouble_event {
    std::string cause;
};
/// A line of the C client's log.
struct log_event {
    std::string text;
};
using connection_event =
    std::variant<connected_event, reply_event, watch_fired_event, trouble_event, log_event>;

/// One handle of the C client, for one TCP connection. `client` owns it, moves its bytes between it
/// and the socket, and calls it on the strand of the session. status_ goes from `connecting` to
/// `connected` or to an end, and never comes back from an end.
///
/// Left alone, the C client's handle would reconnect by itself, with known traps: with an even
/// number of addresses it never reaches some (ZOOKEEPER-2466), requests left in its buffers are
/// sent on the next connection (nonblocking_send), and all watches go in one packet that the server
/// may refuse for ever (ZOOKEEPER-706). So a handle serves one address and one connection, and the
/// next one is made with the session's id and password. The watches end with the handle: every
/// waiter has to look again after a reconnect anyway. The handle's own timers (a ping each T/3, the
/// end after 2T/3 without an answer) never come due: a session beats more often, and is less
/// patient.
///
/// The C client's callbacks run inside its functions. They only add events, which the owner takes
/// when no such function runs, and none of them throws.
class connection {
public:
    enum class status {
        connecting,   // the handshake is not answered yet
        connected,    // the session is made, or restored
        lost,         // the end: the connection failed, or a frame was refused
        not_restored, // the end: the server made another session than the one asked for
        expired,      // the end: the server does not know the session any more
        auth_failed,  // the end: the server refused an identity, or demands one
    };

    /// Its socket is connected already: the handshake is the first output.
    explicit connection(connection_options options);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    status state() const { return status_; }
    bool is_live() const { return status_ == status::connecting || status_ == status::connected; }

    void send(protocol::request_id id, const protocol::request& what);
    void receive(std::string_view bytes) { frames_.receive(bytes); }
    /// Makes events of what was received.
    void pump();
    /// Whole frames that are to be sent to the server.
    std::string_view output() const { return frames_.output(); }
    void sent(std::size_t count) { frames_.sent(count); }

    /// If SASL is spoken, the status becomes `connected` only after end_sasl().
    std::optional<frames::sasl_answer> take_sasl_answer() { return frames_.take_sasl_answer(); }
    void send_sasl(std::string_view token) { frames_.send_sasl(token); }
    void end_sasl() { frames_.end_sasl(); }

    /// Adds the frame that ends the session to the output; false if it is not connected, or has
    /// added it before. The answer may not be given to the C client, which asserts that it has
    /// asked.
    bool send_close();
    bool close_was_answered() const { return frames_.close_was_answered(); }

    /// There was no memory for an event: no more events come, and the owner has to end the
    /// connection.
    bool missed_event() const { return missed_event_; }
    bool has_events() const { return !events_.empty(); }
    /// Takes the events out. The memory of `before` is used for the next ones.
    std::vector<connection_event> take_events(std::vector<connection_event> before = {}) {
        before.clear();
        return std::exchange(events_, std::move(before));
    }

    // What the C client's calls of read, write and get_xid do (socket_calls.cpp). They have no
    // context, and are meant for the connection that calls the C client at that moment.
    static std::size_t c_client_reads(void* to, std::size_t most) noexcept;
    static bool c_client_writes(std::string_view bytes) noexcept;
    static void c_client_sets_number(std::int32_t request) noexcept;
    /// The number of the next request. (The C client would begin with the time of day, in one count
    /// for the whole process, and run into the numbers from -8 to -1, which stand for events, pings
    /// and identities.) The greatest number is left out: the frame that ends a session has it.
    static constexpr std::int32_t next_number(std::int32_t last) {
        constexpr std::int32_t most = 0x7fff'fffe;
        return last >= most ? 1 : last + 1;
    }

private:
    struct handle_closer {
        int log_level;
        void operator()(_zhandle* handle) const noexcept;
    };
    struct callbacks;
    struct transaction;
    struct acl_lists;

    /// Makes the handle, which writes the handshake into frames_.
    void open();
    /// Has the C client read some of the frames that have arrived.
    void process_input();
    void report_unclear_answer();
    /// Reads the C client's state, which it changes without a word.
    void check_state();
    int issue(protocol::request_id id, const protocol::request& what);
    int issue_transaction(protocol::request_id id, const protocol::request& what);
    void add_step(transaction& to, const protocol::transaction_step& step) const;
    template <class Event, class Fill>
    void add_event(Fill fill) noexcept;

    connection_options options_;
    status status_ = status::connecting;
    frames frames_;
    bool sent_close_ = false;   // the frame that ends the session is in the output, or has left
    bool missed_event_ = false; // there was no memory for an event
    /// The first request that this call of the C client has answered with an unclear outcome.
    std::optional<std::pair<protocol::request_id, int>> unclear_;
    std::vector<connection_event> events_;
    std::shared_ptr<const acl_lists> acls_;                 // in the C client's form
    std::deque<std::unique_ptr<transaction>> transactions_; // not answered yet, in order of sending
    std::unique_ptr<transaction> answered_transaction_;     // used again, for its memory
    std::unique_ptr<_zhandle, handle_closer> handle_;
};

} // namespace turnstile::zookeeper
