// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/frames.hpp"

#include "zookeeper/jute_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>

namespace turnstile::zookeeper {

namespace {

// ConnectResponse: version, timeout, session, password, and from 3.4 on a flag for read-only.
constexpr std::int32_t old_handshake_size = 4 + 4 + 8 + 4 + 16;
constexpr std::int32_t handshake_size = old_handshake_size + 1;
constexpr std::int32_t password_size = 16;

constexpr std::size_t length_size = 4;          // before each frame
constexpr std::int32_t header_size = 4 + 8 + 4; // ReplyHeader: xid, zxid, error

// Far above a listing of all that a lock path can hold in practice.
constexpr std::int32_t longest_frame = 1 << 28;

// The numbers of events and of identities, from zk_adaptor.h and zookeeper.h.
constexpr std::int32_t event_xid = -1;
constexpr std::int32_t login_xid = -4;

// The type of a request of SASL, from ZooDefs.java: the C client 3.8.0 as Debian builds it has
// none.
constexpr std::int32_t sasl_type = 102;
// The frame that closes the session: its length, a number that no request has, and its type.
constexpr std::int32_t close_size = 8;
constexpr std::int32_t close_xid = 0x7fffffff;
constexpr std::int32_t close_type = -11;

// Stat of zookeeper.jute: six longs and five ints.
constexpr std::size_t stat_size = 6 * 8 + 5 * 4;

// The types of the results of a transaction, from zookeeper.h.
constexpr std::int32_t create_type = 1;
constexpr std::int32_t delete_type = 2;
constexpr std::int32_t set_type = 5;
constexpr std::int32_t check_type = 13;
constexpr std::int32_t error_type = -1;
// The type of the result of each protocol::step_kind, in their order.
constexpr std::array types_of_steps{check_type,  set_type,    delete_type,
                                    create_type, create_type, create_type};

struct result_header {
    std::int32_t type = 0;
    bool done = false;
    std::int32_t error = 0;

    bool read_from(jute_reader& from) {
        return from.read(type) && from.read(done) && from.read(error);
    }
};

bool skip_result(jute_reader& from, std::int32_t type) {
    std::int32_t error = 0;
    switch (type) {
    case error_type:
        return from.read(error);
    case create_type:
        return from.skip_string();
    case set_type:
        return from.skip(stat_size);
    default:
        return true; // the result of a deletion or a check has no more
    }
}

bool skip_acl(jute_reader& from) {
    std::int32_t entries = 0;
    bool good = from.read(entries) && entries >= 0;
    for (std::int32_t i = 0; good && i < entries; ++i) // permissions, scheme and id
        good = from.skip(4) && from.skip_string() && from.skip_string();
    return good;
}

template <class Steps>
bool fits_transaction(jute_reader from, const Steps& steps) {
    result_header next;
    for (const auto step : steps)
        if (!next.read_from(from) || next.done ||
            (next.type != types_of_steps.at(static_cast<std::size_t>(step)) &&
             next.type != error_type) ||
            !skip_result(from, next.type))
            return false;
    return next.read_from(from) && next.done;
}

void append(std::string& to, std::int32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        to += static_cast<char>(static_cast<std::uint32_t>(number) >> shift & 0xffU);
}

// The length that stands before a frame; 0 if not all of it is there.
std::int32_t length_at(std::string_view bytes, std::size_t begin) {
    std::int32_t length = 0;
    jute_reader(bytes.substr(begin)).read(length);
    return length;
}

constexpr std::string_view no_handshake = "what it sent is no answer to ZooKeeper's handshake";

} // namespace

void frames::receive(std::string_view bytes) {
    if (!refusal_.empty())
        return;
    if (read_ == checked_) { // only the beginning of an incomplete frame is kept
        in_.erase(0, checked_);
        read_ = checked_ = frame_end_ = 0;
    }
    in_.append(bytes);
    while (refusal_.empty() && in_.size() - checked_ >= length_size) {
        refusal_ = wrong_length(length_at(in_, checked_));
        if (!refusal_.empty())
            return;
        const auto end = end_of_frame(checked_);
        if (end > in_.size())
            return;
        const auto frame =
            std::string_view(in_).substr(checked_ + length_size, end - checked_ - length_size);
        if (sasl_ != sasl_phase::none) {
            refusal_ = take_sasl_answer_frame(frame);
            in_.erase(checked_, end - checked_);
            continue;
        }
        refusal_ = take_frame(frame);
        if (refusal_.empty())
            checked_ = end;
    }
}

std::size_t frames::end_of_frame(std::size_t begin) const {
    return begin + length_size + static_cast<std::size_t>(length_at(in_, begin));
}

std::size_t frames::read(void* to, std::size_t most) {
    if (!has_input())
        return 0;
    if (read_ == frame_end_)
        frame_end_ = end_of_frame(read_);
    const auto count = std::min(most, frame_end_ - read_);
    std::memcpy(to, in_.data() + read_, count);
    read_ += count;
    return count;
}

void frames::write(std::string_view bytes) {
    handshake_sent_ = true;
    out_.append(bytes);
}

void frames::send_close() {
    append(out_, close_size);
    append(out_, close_xid);
    append(out_, close_type);
}

void frames::sent(std::size_t count) {
    out_sent_ += count;
    if (out_sent_ < out_.size())
        return;
    out_.clear();
    out_sent_ = 0;
}

void frames::expect(const protocol::request& what) {
    auto& added = open_.emplace_back(open_request{.op = what.op});
    for (const auto& step : what.steps)
        added.steps.push_back(step.what);
}

std::string_view frames::wrong_length(std::int32_t length) const {
    if (!handshake_answered_ && length != handshake_size && length != old_handshake_size)
        return no_handshake;
    if (handshake_answered_ && (length < header_size || length > longest_frame))
        return "it sent a frame of a length that no answer has";
    return {};
}

std::string_view frames::take_frame(std::string_view frame) {
    if (!handshake_answered_) {
        const auto wrong = take_handshake(frame);
        handshake_answered_ = wrong.empty();
        return wrong;
    }
    std::int32_t xid = 0;
    std::int64_t zxid = 0;
    std::int32_t error = 0;
    jute_reader from(frame);
    if (!from.read(xid) || !from.read(zxid) || !from.read(error))
        return "it sent half an answer";
    const auto body = frame.substr(header_size);
    if (xid == event_xid)
        return wrong_event(body);
    if (xid == login_xid && open_logins_ > 0) { // an identity is answered out of order
        --open_logins_;
        return {};
    }
    if (xid == close_xid) { // the C client may not see it: it has not asked
        close_was_answered_ = true;
        return "it has closed the session";
    }
    if (open_.empty() || open_.front().xid != xid)
        return "it sent an answer that was not asked for";
    const bool as_expected = error != 0 || fits(open_.front(), body);
    open_.pop_front();
    return as_expected ? "" : "it sent an answer that is cut short or of another kind";
}

std::string_view frames::take_handshake(std::string_view frame) {
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
    if (!handshake_sent_ || !whole || version != 0 || read_only)
        return no_handshake;
    // The answer to a session that has expired is all zeros. A server never gives another one.
    const bool expired = session_id_ != 0 && session == 0 && timeout == 0;
    const bool granted = timeout > 0 && session != 0;
    if (!expired && !granted)
        return no_handshake;
    granted_another_ = granted && session_id_ != 0 && session != session_id_;
    if (granted_another_)
        return "it made another session instead of restoring this one";
    if (granted && first_token_)
        send_sasl(*first_token_);
    return {};
}

// Writes a frame with a RequestHeader and a GetSASLRequest.
void frames::send_sasl(std::string_view token) {
    std::string frame;
    append(frame, ++sasl_xid_);
    append(frame, sasl_type);
    append(frame, static_cast<std::int32_t>(token.size()));
    frame += token;
    append(out_, static_cast<std::int32_t>(frame.size()));
    out_ += frame;
    sasl_ = sasl_phase::asked;
}

// Reads a frame with a ReplyHeader and a SetSASLResponse.
std::string_view frames::take_sasl_answer_frame(std::string_view frame) {
    std::int32_t xid = 0;
    std::int64_t zxid = 0;
    std::int32_t error = 0;
    std::string_view token;
    jute_reader from(frame);
    if (!from.read(xid) || !from.read(zxid) || !from.read(error))
        return "it sent half an answer in SASL";
    if (sasl_ != sasl_phase::asked || xid != sasl_xid_)
        return "it sent an answer in SASL that was not asked for";
    if (error == 0 && (!from.read_buffer(token) || !from.is_at_end()))
        return "it sent an answer in SASL that is cut short or too long";
    sasl_ = sasl_phase::answered;
    sasl_answer_.emplace(sasl_answer{error, std::string(token)});
    return {};
}

std::string_view frames::wrong_event(std::string_view body) {
    std::int32_t type = 0;
    std::int32_t state = 0;
    jute_reader from(body);
    if (!from.read(type) || !from.read(state) || !from.skip_string())
        return "it sent half an event";
    // The C client would take another event for one of its own.
    return type > 0 ? "" : "it sent an event that is no node's";
}

// Whether the C client can read the reply. It asserts on a transaction with a result too many, and
// takes what it could not read for a value.
bool frames::fits(const open_request& asked, std::string_view body) {
    using enum protocol::step_kind;
    using steps = std::initializer_list<protocol::step_kind>;
    jute_reader from(body);
    switch (asked.op) {
    case protocol::operation::unwatch:
    case protocol::operation::unwatch_children:
        return true;
    case protocol::operation::exists:
        return from.skip(stat_size);
    case protocol::operation::create_container:
        return from.skip_string() && from.skip(stat_size);
    case protocol::operation::get:
        return from.skip_buffer() && from.skip(stat_size);
    case protocol::operation::get_children:
        return from.skip_strings() && from.skip(stat_size);
    case protocol::operation::get_acl:
        return skip_acl(from) && from.skip(stat_size);
    case protocol::operation::enqueue:
    case protocol::operation::create_holder:
        return fits_transaction(from, steps{set, create});
    case protocol::operation::release:
        return fits_transaction(from, steps{set, remove});
    case protocol::operation::downgrade:
        return fits_transaction(from, steps{create, remove});
    case protocol::operation::check:
        return fits_transaction(from, steps{check});
    case protocol::operation::set:
        return fits_transaction(from, steps{set});
    case protocol::operation::remove:
        return fits_transaction(from, steps{remove});
    case protocol::operation::delete_holder:
        return fits_transaction(from, steps{check, remove});
    case protocol::operation::transact:
        return fits_transaction(from, asked.steps);
    }
    return false;
}

} // namespace turnstile::zookeeper
