// SPDX-License-Identifier: BSL-1.0
// Looks at each frame of a connection before the C client sees it.
#pragma once

#include "zookeeper/reply_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

namespace turnstile::zookeeper {

/// The C client believes whatever comes in: text of another service becomes an expiry of the
/// session or a read-only server, for which it blocks; an answer that nobody asked for, or a
/// transaction's answer that is cut short, is an assertion of it. So a frame that ZooKeeper would
/// not have sent ends the connection here. Sources: zookeeper.jute, and check_events() and
/// zookeeper_process() of the C client 3.8.0.
class frame_guard {
public:
    /// What is wrong with a frame, for the log.
    using refusal = std::optional<std::string_view>;

    /// `session_id` is the one that the handshake asks for; 0: a new one.
    explicit frame_guard(std::int64_t session_id) : session_id_(session_id) {}

    /// The next request that leaves is answered so.
    void expect(expected_reply what) { open_.push_back({.xid = 0, .reply = std::move(what)}); }
    void expect(reply_shape shape) { expect({.shape = shape, .steps = {}}); }
    /// It did not leave after all.
    void expect_no_more() {
        if (sent_ < open_.size())
            open_.pop_back();
    }
    /// A frame of the C client leaves. All are without their length.
    void on_sent(std::string_view frame);

    /// Refuses a length as soon as it is there: whatever sends it might never send so much.
    refusal refuse_length(std::int32_t length) const;
    refusal refuse(std::string_view frame);
    /// The handshake was refused since it grants another session than the one asked for.
    bool granted_another() const { return granted_another_; }

private:
    struct open_request {
        std::int32_t xid;
        expected_reply reply;
    };

    refusal refuse_handshake(std::string_view frame);
    refusal refuse_reply(std::int32_t xid, std::int32_t error, std::string_view body);

    const std::int64_t session_id_;
    bool greeted_ = false; // the handshake left
    bool shaken_ = false;  // and was answered
    bool granted_another_ = false;
    std::size_t open_pings_ = 0;  // answered out of order
    std::size_t open_logins_ = 0; // identities, likewise
    std::deque<open_request> open_;
    std::size_t sent_ = 0; // of them, from the front on
};

} // namespace turnstile::zookeeper
