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

/// The C client's socket calls are bound to functions of ours (socket_calls.cpp), which read and
/// write here. `connection` owns this; `client` moves bytes between it and the real socket, which
/// is Asio's. All that the C client writes leaves in one piece.
///
/// The C client believes whatever comes in. Text of another service becomes an expiry of the
/// session or a read-only server, for which it blocks. On an answer that was not asked for, or a
/// transaction's answer that is cut short, it asserts. So it gets only whole frames, and only those
/// that ZooKeeper would have sent; another frame ends the connection. Sources:
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

    /// Says which request the C client writes next.
    void expect(const protocol::request& what);
    /// Says the number of that request, which its answer has, too.
    void set_number(std::int32_t xid) { open_.back().xid = xid; }
    /// That request is not sent after all.
    void expect_no_more() { open_.pop_back(); }
    /// The C client presents an identity next.
    void expect_login() { ++open_logins_; }

    /// Sends the frame that closes the session. The C client neither writes it nor reads the
    /// answer.
    void send_close();
    /// Whether that frame was answered: the server has closed the session.
    bool close_was_answered() const { return close_was_answered_; }

    // SASL, of which the C client knows nothing: it sees the answer to the handshake only when SASL
    // is over, and asks for nothing before.
    /// The first token is sent when the handshake is answered.
    void begin_sasl(std::string first_token) { first_token_ = std::move(first_token); }
    /// Returns each answer once.
    std::optional<sasl_answer> take_sasl_answer() { return std::exchange(sasl_answer_, {}); }
    void send_sasl(std::string_view token);
    void end_sasl() { sasl_ = sasl_phase::none; }

    // The reactor's side.
    /// Takes bytes in, up to the first frame that is refused.
    void receive(std::string_view bytes);
    /// Why a frame was refused, for the log; empty if none was.
    std::string_view refusal() const { return refusal_; }
    /// The handshake was refused since it grants another session than the one asked for.
    bool granted_another() const { return granted_another_; }
    /// There are frames that the C client has not read.
    bool has_input() const { return read_ < checked_ && sasl_ == sasl_phase::none; }
    /// Whole frames that are to leave.
    std::string_view output() const { return std::string_view(out_).substr(out_sent_); }
    void sent(std::size_t count);

    // The C client's side, as read(2) and write(2) would do it.
    /// Never goes past the end of a frame, for the C client asks for more than an old server's
    /// handshake has. 0 if nothing is there yet.
    std::size_t read(void* to, std::size_t most);
    void write(std::string_view bytes);

private:
    enum class sasl_phase {
        none,     // SASL is not spoken, or is over
        asked,    // a token was sent; the C client does not see the handshake's answer yet
        answered, // the token was answered; `client` says what comes next
    };
    struct open_request {
        std::int32_t xid = 0;
        protocol::operation op{};
        std::vector<protocol::step_kind> steps{}; // of a `transact`
    };

    std::size_t end_of_frame(std::size_t begin) const;
    // These return the fault of a frame, in words; empty: it has none.
    /// Checks a length as soon as it has come: the bytes that it promises might never come.
    std::string_view wrong_length(std::int32_t length) const;
    std::string_view take_frame(std::string_view frame);
    std::string_view take_handshake(std::string_view frame);
    std::string_view take_sasl_answer_frame(std::string_view frame);
    static std::string_view wrong_event(std::string_view body);
    static bool fits(const open_request& asked, std::string_view body);

    const std::int64_t session_id_;
    std::string in_;
    // Positions in in_.
    std::size_t read_ = 0;      // the C client has read up to here
    std::size_t checked_ = 0;   // up to here all frames are whole, and passed
    std::size_t frame_end_ = 0; // the end of the frame that the C client reads
    std::string out_;
    std::size_t out_sent_ = 0;   // bytes of out_ that were sent
    std::string_view refusal_{}; // a text of static storage
    bool handshake_sent_ = false;
    bool handshake_answered_ = false;
    bool granted_another_ = false;
    bool close_was_answered_ = false;
    std::size_t open_logins_ = 0; // identities that were presented, and not answered
    std::deque<open_request> open_;
    std::optional<std::string> first_token_;
    std::optional<sasl_answer> sasl_answer_;
    std::int32_t sasl_xid_ = 0; // the number of the last token
    sasl_phase sasl_ = sasl_phase::none;
};

} // namespace turnstile::zookeeper
