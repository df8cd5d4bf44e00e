// SPDX-License-Identifier: BSL-1.0
// What the C client takes for its socket: frames that have arrived, and frames that are to leave.
#pragma once

#include "protocol/wire/message.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::zookeeper {

/// The C client's socket calls are bound to functions of ours (socket_calls.cpp), and end here. The
/// real socket is Asio's: the reactor brings bytes in and takes them out. What the C client writes
/// leaves in one piece.
///
/// The C client believes whatever comes in: text of another service becomes an expiry of the
/// session or a read-only server, for which it blocks; an answer that was not asked for, or a
/// transaction's answer that is cut short, is an assertion of it. So it gets whole frames only, and
/// only those that ZooKeeper would have sent; another one ends the connection. Sources:
/// zookeeper.jute, and check_events() and zookeeper_process() of the C client 3.8.0.
class frames {
public:
    /// A server's answer in SASL.
    struct sasl_answer {
        std::int32_t error = 0;
        std::string token{};
    };

    /// `session_id` is the one that the handshake asks for; 0: a new one.
    explicit frames(std::int64_t session_id) : session_id_(session_id) {}

    /// The next request of the C client is this one.
    void expect(const protocol::request& what);
    /// Its number, by which it is answered.
    void number(std::int32_t xid) { open_.back().xid = xid; }
    /// It does not leave after all.
    void expect_no_more() { open_.pop_back(); }
    /// An identity is presented.
    void expect_login() { ++open_logins_; }

    // SASL, of which the C client knows nothing: it hears that the handshake was answered when SASL
    // is over, and asks for nothing before.
    /// The first token leaves when a session is granted.
    void begin_sasl(std::string first_token) { first_token_ = std::move(first_token); }
    /// Once for each token.
    std::optional<sasl_answer> take_sasl_answer() { return std::exchange(sasl_answer_, {}); }
    void send_sasl(std::string_view token);
    void end_sasl() { sasl_ = sasl_phase::none; }

    // The reactor's side.
    /// Up to the first frame that is refused.
    void receive(std::string_view bytes);
    /// Why a frame was refused, for the log; empty where none was.
    std::string_view refusal() const { return refusal_; }
    /// The handshake was refused since it grants another session than the one asked for.
    bool granted_another() const { return granted_another_; }
    /// There are frames that the C client has not read.
    bool has_input() const { return read_ < checked_ && sasl_ == sasl_phase::none; }
    /// Whole frames that are to leave.
    std::string_view output() const { return std::string_view(out_).substr(left_); }
    void sent(std::size_t count);

    // The C client's side, as read(2) and write(2) would do it.
    /// Never goes past the end of a frame, for the C client asks for more than an old server's
    /// handshake has. 0 where nothing is there yet.
    std::size_t read(void* to, std::size_t most);
    void write(std::string_view bytes);

private:
    enum class sasl_phase {
        none,     // not spoken, or over
        asked,    // a token is to be answered; the C client hears nothing of the handshake
        answered, // and what comes next is the session's to say
    };
    struct open_request {
        std::int32_t xid = 0;
        protocol::operation op{};
        std::vector<protocol::step_kind> steps{}; // of a `transact`
    };

    std::size_t end_of_frame(std::size_t begin) const;
    // What is wrong; empty: nothing.
    /// As soon as the length is there: whatever sends it might never send so much.
    std::string_view refuse_length(std::int32_t length) const;
    std::string_view refuse(std::string_view frame);
    std::string_view refuse_handshake(std::string_view frame);
    std::string_view refuse_sasl(std::string_view frame);
    static std::string_view refuse_event(std::string_view body);
    static bool fits(const open_request& asked, std::string_view body);

    const std::int64_t session_id_;
    std::string in_;
    std::size_t read_ = 0;      // by the C client
    std::size_t checked_ = 0;   // whole frames that were let pass
    std::size_t frame_end_ = 0; // of the frame that the C client reads
    std::string out_;
    std::size_t left_ = 0;       // has left
    std::string_view refusal_{}; // of static storage
    bool asked_ = false;         // the handshake was written
    bool answered_ = false;      // and was answered
    bool granted_another_ = false;
    std::size_t open_logins_ = 0; // identities
    std::deque<open_request> open_;
    std::optional<std::string> first_token_;
    std::optional<sasl_answer> sasl_answer_;
    std::int32_t sasl_xid_ = 0; // of the last token
    sasl_phase sasl_ = sasl_phase::none;
};

} // namespace turnstile::zookeeper
