// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/frame_guard.hpp"

#include "zookeeper/jute_reader.hpp"

#include <utility>

namespace turnstile::zookeeper {

namespace {

// ConnectResponse: version, timeout, session, password, and from 3.4 on a flag for read-only.
constexpr std::int32_t old_handshake_size = 4 + 4 + 8 + 4 + 16;
constexpr std::int32_t handshake_size = old_handshake_size + 1;
constexpr std::int32_t password_size = 16;

constexpr std::int32_t header_size = 4 + 8 + 4; // ReplyHeader: xid, zxid, error

// Far above a listing of all that a lock path can hold in practice.
constexpr std::int32_t longest_frame = 1 << 28;

// Of zk_adaptor.h and zookeeper.h.
constexpr std::int32_t event_xid = -1;
constexpr std::int32_t ping_xid = -2;
constexpr std::int32_t login_xid = -4;
constexpr std::int32_t ping_type = 11;
constexpr std::int32_t login_type = 100;
constexpr std::int32_t close_type = -11;

constexpr std::string_view no_handshake = "what it sent is no answer to ZooKeeper's handshake";

} // namespace

void frame_guard::on_sent(std::string_view frame) {
    if (!greeted_) {
        greeted_ = true;
        return;
    }
    std::int32_t xid = 0;
    std::int32_t type = 0;
    jute_reader from(frame);
    if (!from.read(xid) || !from.read(type))
        return;
    if (type == ping_type) {
        ++open_pings_;
    } else if (type == login_type) {
        ++open_logins_;
    } else if (type != close_type && sent_ < open_.size()) {
        open_[sent_].xid = xid;
        ++sent_;
    }
}

frame_guard::refusal frame_guard::refuse_length(std::int32_t length) const {
    if (!shaken_ && length != handshake_size && length != old_handshake_size)
        return no_handshake;
    if (shaken_ && (length < header_size || length > longest_frame))
        return "it sent a frame of a length that no answer has";
    return std::nullopt;
}

frame_guard::refusal frame_guard::refuse(std::string_view frame) {
    if (!shaken_) {
        const auto wrong = refuse_handshake(frame);
        shaken_ = !wrong;
        return wrong;
    }
    std::int32_t xid = 0;
    std::int64_t zxid = 0;
    std::int32_t error = 0;
    jute_reader from(frame);
    if (!from.read(xid) || !from.read(zxid) || !from.read(error))
        return "it sent half an answer";
    return refuse_reply(xid, error, frame.substr(header_size));
}

frame_guard::refusal frame_guard::refuse_handshake(std::string_view frame) {
    std::int32_t version = 0;
    std::int32_t timeout = 0;
    std::int64_t session = 0;
    std::int32_t password = 0;
    bool read_only = false;
    jute_reader from(frame);
    const bool whole = from.read(version) && from.read(timeout) && from.read(session) &&
                       from.read(password) && password == password_size &&
                       from.skip(password_size) &&
                       (frame.size() == old_handshake_size || from.read(read_only));
    if (!greeted_ || !whole || version != 0 || read_only)
        return no_handshake;
    // The answer to a session that has expired is all zeros. A server never gives another one.
    const bool expired = session_id_ != 0 && session == 0 && timeout == 0;
    const bool granted = timeout > 0 && session != 0;
    if (!expired && !granted)
        return no_handshake;
    granted_another_ = granted && session_id_ != 0 && session != session_id_;
    if (granted_another_)
        return "it made another session instead of restoring this one";
    return std::nullopt;
}

frame_guard::refusal frame_guard::refuse_reply(std::int32_t xid, std::int32_t error,
                                               std::string_view body) {
    if (sent_ > 0 && open_.front().xid == xid) {
        const bool as_expected = error != 0 || fits(open_.front().reply, body);
        open_.pop_front();
        --sent_;
        if (!as_expected)
            return "it sent an answer that is cut short or of another kind";
        return std::nullopt;
    }
    if (xid == event_xid) {
        std::int32_t type = 0;
        std::int32_t state = 0;
        jute_reader from(body);
        if (!from.read(type) || !from.read(state) || !from.skip_string())
            return "it sent half an event";
        if (type <= 0) // the C client's own word for a change of its connection
            return "it sent an event that is no node's";
        return std::nullopt;
    }
    auto* const open = xid == ping_xid ? &open_pings_ : xid == login_xid ? &open_logins_ : nullptr;
    if (!open || *open == 0)
        return "it sent an answer that nobody asked for";
    --*open;
    return std::nullopt;
}

} // namespace turnstile::zookeeper
