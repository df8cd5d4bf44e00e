// SPDX-License-Identifier: BSL-1.0
// One C handle for one TCP connection.
#pragma once

#include "protocol/wire/message.hpp"
#include "protocol/wire/port.hpp"
#include "zookeeper/client_socket.hpp"
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

struct ACL_vector;
struct _zhandle;

namespace turnstile::zookeeper {

struct connection_options {
    std::string server; // numeric "host:port", and the chroot
    std::chrono::milliseconds timeout{};
    protocol::credentials session;
    std::shared_ptr<const access> rights;
    int log_level = 2; // ZOO_LOG_LEVEL_WARN
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
/// look again after a reconnect anyway.
///
/// The C client's callbacks only note events; they are taken out when no library call is running.
class connection {
public:
    enum class status { connecting, connected, lost, not_restored, expired, auth_failed };

    /// On a socket that is connected: the handshake is the first output.
    explicit connection(connection_options options);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    status state() const {
        return refused_ && status_ == status::lost ? status::auth_failed : status_;
    }
    /// When to call pump() next, without any input.
    std::chrono::milliseconds patience() const { return patience_; }

    void send(protocol::request_id id, const protocol::request& what);
    std::size_t open_requests() const { return open_requests_; }
    /// Takes bytes that the server sent. pump() makes events of them.
    void receive(std::string_view bytes);
    /// Nothing more comes.
    void end() { status_ = is_live() ? status::lost : status_; }
    enum class occasion { input, patience_over };
    /// Reads what was received, and keeps the C client's own timers.
    void pump(occasion why);
    /// What is to be sent to the server: whole frames.
    std::string_view output() const { return socket_.output(); }
    void sent(std::size_t count) { socket_.sent(count); }
    /// Adds the frame that ends the session to the output. Nothing may be open, and the answer is
    /// not for the C client, which asserts that it answers something.
    bool send_close();

    /// An event was lost for want of memory: nothing more is told, and the owner is to cut it.
    bool missed_event() const { return missed_event_; }
    bool has_events() const { return !events_.empty(); }
    /// In exchange for an empty vector, perhaps with room.
    void take_events(std::vector<connection_event>& room) { events_.swap(room); }

private:
    // What the C client says while one of its functions runs. Nothing here throws.
    friend struct callbacks;
    std::size_t read(void* to, std::size_t most) noexcept { return socket_.read(to, most); }
    bool write(std::string_view bytes) noexcept;
    void opened(const connected_event& how) noexcept;
    void answered() noexcept { --open_requests_; }
    /// By the server, or by the C client because the connection ends.
    void answered_unclearly(protocol::request_id id, int code) noexcept {
        if (!unclear_)
            unclear_ = {id, code};
    }
    /// Than this session's directories give: somebody else made that node.
    bool gives_more(const ACL_vector& found) const;
    /// Said instead of the first answer, before the server ends session and connection.
    void refused() noexcept;
    template <class Event, class Fill>
    void keep(Fill fill) noexcept;

    struct handle_closer {
        int log_level;
        void operator()(_zhandle* handle) const noexcept;
    };
    struct transaction;
    struct acl_lists;

    void open();
    void process();
    void tell_unclear();
    void interest();
    void check_state();
    bool is_live() const;
    static reply_shape shape_of(protocol::operation op);
    static expected_reply reply_expected_to(const protocol::request& what);
    int issue(protocol::request_id id, const protocol::request& what);
    static std::shared_ptr<const acl_lists> make_acls(const node_acls& from);
    std::unique_ptr<transaction> new_transaction();
    const transaction* take_transaction() noexcept; // they are answered in order; null: none
    static void read_transaction(const transaction& done, protocol::reply& answer);
    int issue_transaction(protocol::request_id id, const protocol::request& what);
    int issue_steps(protocol::request_id id, const protocol::request& what);

    connection_options options_;
    status status_ = status::connecting;
    client_socket socket_;
    std::size_t open_requests_ = 0;
    bool sent_close_ = false;
    bool refused_frame_ = false; // the server is none
    bool refused_ = false;       // for want of an authentication that the server enforces
    bool missed_event_ = false;  // there was no memory for an event
    std::optional<std::pair<protocol::request_id, int>> unclear_; // an answer in this call
    std::chrono::milliseconds patience_{};
    std::vector<connection_event> events_;
    std::shared_ptr<const acl_lists> acls_;                 // of the C client's kind
    std::deque<std::unique_ptr<transaction>> transactions_; // results must live until answered
    std::unique_ptr<transaction> answered_transaction_;     // used again, with its memory
    std::unique_ptr<_zhandle, handle_closer> handle_;
};

/// Without memory for it, the requests that stay unanswered are lost with the connection.
template <class Event, class Fill>
void connection::keep(Fill fill) noexcept {
    if (missed_event_)
        return;
    const auto before = events_.size();
    try {
        fill(std::get<Event>(events_.emplace_back(std::in_place_type<Event>)));
    } catch (...) {
        if (events_.size() > before)
            events_.pop_back();
        missed_event_ = true;
    }
}

} // namespace turnstile::zookeeper
