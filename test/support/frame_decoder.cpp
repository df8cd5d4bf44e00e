// SPDX-License-Identifier: BSL-1.0
#include "frame_decoder.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace turnstile::test {
namespace {

/// Reads big-endian values. Beyond the end of the bytes it gives zeros.
class reader {
public:
    explicit reader(std::string_view bytes) : rest_{bytes} {}

    std::uint64_t unsigned_number(std::size_t size) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const auto byte = i < rest_.size() ? static_cast<unsigned char>(rest_[i]) : 0U;
            value = (value << 8U) | byte;
        }
        skip(size);
        return value;
    }

    std::int32_t int32() { return static_cast<std::int32_t>(unsigned_number(4)); }
    std::int64_t int64() { return static_cast<std::int64_t>(unsigned_number(8)); }

    std::string text() {
        const auto size = int32();
        if (size < 0 || static_cast<std::size_t>(size) > rest_.size())
            return {};
        std::string result{rest_.substr(0, static_cast<std::size_t>(size))};
        skip(result.size());
        return result;
    }

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    void skip(std::size_t size) { rest_.remove_prefix(std::min(size, rest_.size())); }

private:
    std::string_view rest_;
};

bool starts_with_path(op o) {
    switch (o) {
    case op::create:
    case op::remove:
    case op::exists:
    case op::get_data:
    case op::set_data:
    case op::get_acl:
    case op::set_acl:
    case op::get_children:
    case op::sync:
    case op::get_children2:
    case op::check:
    case op::create2:
    case op::check_watches:
    case op::remove_watches:
    case op::create_container:
    case op::create_ttl:
        return true;
    default:
        return false;
    }
}

// Skips what comes behind the path of a transaction's part. False where its form is not known.
bool skip_rest_of(op part, reader& in) {
    switch (part) {
    case op::create:
    case op::create2:
    case op::create_container:
        static_cast<void>(in.text()); // data
        for (auto rights = in.int32(); rights > 0 && !in.at_end(); --rights) {
            in.skip(4);                   // permissions
            static_cast<void>(in.text()); // scheme
            static_cast<void>(in.text()); // id
        }
        in.skip(4); // flags
        return true;
    case op::set_data:
        static_cast<void>(in.text()); // data
        in.skip(4);                   // version
        return true;
    case op::remove:
    case op::check:
        in.skip(4); // version
        return true;
    default:
        return false;
    }
}

/// Reads the header of a transaction's part, and returns its operation.
op read_part_header(reader& in) {
    const auto part = static_cast<op>(in.int32());
    in.skip(1 + 4); // "done" and an error code
    return part;
}

// Reads a transaction from behind its first path to its end, and returns its last operation.
op read_last_part(op first, reader& in) {
    auto last = first;
    while (skip_rest_of(last, in)) {
        const auto next = read_part_header(in);
        if (!starts_with_path(next))
            break;
        static_cast<void>(in.text());
        last = next;
    }
    return last;
}

/// What stands behind the length. A stream that is not ZooKeeper's may have less than a length.
std::string_view body_of(const frame& f) {
    return std::string_view{f.bytes}.substr(std::min(frame_length_size, f.bytes.size()));
}

} // namespace

frame frame_decoder::decode(direction where, std::string bytes) {
    frame f;
    f.bytes = std::move(bytes);
    auto& handshake_done = where == direction::to_server ? connect_seen_ : connect_answered_;
    if (!std::exchange(handshake_done, true))
        decode_handshake(where, f);
    else if (where == direction::to_server)
        decode_request(f);
    else
        decode_reply(f);
    f.session = session_;
    return f;
}

void frame_decoder::decode_handshake(direction where, frame& f) {
    f.op = op::connect;
    reader in{body_of(f)};
    in.skip(4); // protocol version
    if (where == direction::to_server)
        in.skip(8); // the last transaction seen
    in.skip(4);     // timeout
    session_ = in.int64();
}

void frame_decoder::decode_request(frame& f) {
    reader in{body_of(f)};
    f.xid = in.int32();
    f.op = static_cast<op>(in.int32());
    if (starts_with_path(f.op)) {
        f.path = in.text();
    } else if (f.op == op::multi) {
        f.part = f.last_part = read_part_header(in);
        if (starts_with_path(f.part)) {
            f.path = in.text();
            f.last_part = read_last_part(f.part, in);
        }
    } else if (f.op == op::auth) {
        in.skip(4);                   // a type, which is always 0
        static_cast<void>(in.text()); // scheme
        f.identity = in.text();
    }
    unanswered_.emplace(f.xid, request{f.op, f.part, f.last_part, f.path});
}

void frame_decoder::decode_reply(frame& f) {
    reader in{body_of(f)};
    f.xid = in.int32();
    f.zxid = in.int64();
    f.error = in.int32();
    constexpr std::int32_t watch_event_xid = -1;
    if (f.xid == watch_event_xid) {
        f.op = op::watch_event;
        f.event = in.int32();
        in.skip(4); // session state
        f.path = in.text();
        return;
    }
    const auto asked = unanswered_.lower_bound(f.xid); // the oldest with this xid
    if (asked != unanswered_.end() && asked->first == f.xid) {
        f.op = asked->second.op;
        f.part = asked->second.part;
        f.last_part = asked->second.last_part;
        f.path = std::move(asked->second.path);
        unanswered_.erase(asked);
    }
    if (f.op == op::multi && f.error == 0) {
        constexpr std::int32_t failed_part = -1;
        const bool failed = in.int32() == failed_part;
        in.skip(1); // "done"
        f.part_error = failed ? in.int32() : 0;
    }
}

} // namespace turnstile::test
