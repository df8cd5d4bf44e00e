// SPDX-License-Identifier: BSL-1.0
// One C handle for one TCP connection.
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
    std::optional<std::string> sasl_token{}; // the first one, where SASL is spoken
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
/// What is wrong with the server, before the connection to it ends.
struct trouble_event {
    std::string cause;
};
/// The C client's own words.
struct log_event {
    std::string text;
};
using connection_event =
    std::variant<connected_event, reply_event, watch_fired_event, trouble_event, log_event>;

/// The C client's handle reconnects by itself, with known traps: with an even number of addresses
/// it never reaches some (ZOOKEEPER-2466), requests left in its buffers are sent on the next
/// connection (nonblocking_send), and all watches go in one packet that the server may refuse for
/// ever (ZOOKEEPER-706). So a handle serves one address and one connection, and the next one is
/// made with the session's id and password. The watches are gone with it, and every waiter has to
/// look again after a reconnect anyway. Its own timers (a ping each T/3, the end after 2T/3 without
/// an answer) have no turn: a session beats more often, and is less patient.
///
/// The C client's callbacks run inside its functions. They only note events, which are taken out
/// when no such function runs, and none of them throws.
class connection {
public:
    enum class status { connecting, connected, lost, not_restored, expired, auth_failed };

    /// On a socket that is connected: the handshake is the first output.
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
    /// What is to be sent to the server: whole frames.
    std::string_view output() const { return frames_.output(); }
    void sent(std::size_t count) { frames_.sent(count); }

    /// Where SASL is spoken: it is connected when that is over.
    std::optional<frames::sasl_answer> take_sasl_answer() { return frames_.take_sasl_answer(); }
    void send_sasl(std::string_view token) { frames_.send_sasl(token); }
    void end_sasl() { frames_.end_sasl(); }

    /// Adds the frame that ends the session to the output. Nothing may be open, and the answer is
    /// not for the C client, which asserts that it answers something.
    bool send_close();

    /// An event was lost for want of memory: no more of them come, and the owner is to cut it.
    bool missed_event() const { return missed_event_; }
    bool has_events() const { return !events_.empty(); }
    /// The next ones get the memory of those before.
    std::vector<connection_event> take_events(std::vector<connection_event> before = {}) {
        before.clear();
        return std::exchange(events_, std::move(before));
    }

    // The C client's socket calls (socket_calls.cpp): of the connection whose function runs.
    static std::size_t client_reads(void* to, std::size_t most) noexcept;
    static bool client_writes(std::string_view bytes) noexcept;
    static void client_numbers(std::int32_t request) noexcept;
    /// Of the request after this one. The C client's own numbers begin with the time of day, in one
    /// count for the whole process, and run into those below zero that stand for events, pings and
    /// identities (-8 to -1). The last one of all belongs to the end of a session.
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

    void open();
    void process();
    void tell_unclear();
    void check_state();
    int issue(protocol::request_id id, const protocol::request& what);
    int issue_transaction(protocol::request_id id, const protocol::request& what);
    template <class Event, class Fill>
    void keep(Fill fill) noexcept;

    connection_options options_;
    status status_ = status::connecting;
    frames frames_;
    bool sent_close_ = false;
    bool missed_event_ = false; // there was no memory for an event
    std::optional<std::pair<protocol::request_id, int>> unclear_; // an answer in this call
    std::vector<connection_event> events_;
    std::shared_ptr<const acl_lists> acls_;                 // of the C client's kind
    std::deque<std::unique_ptr<transaction>> transactions_; // results must live until answered
    std::unique_ptr<transaction> answered_transaction_;     // used again, with its memory
    std::unique_ptr<_zhandle, handle_closer> handle_;
};

} // namespace turnstile::zookeeper
