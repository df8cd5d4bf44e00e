// SPDX-License-Identifier: BSL-1.0
// What no sane server sends: it costs a connection at most, never a lock, a place or an operation.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/jute.hpp"
#include "support/pch.hpp"

namespace {

// A frame is its length, and in it xid, zxid and error of a reply.
constexpr std::size_t length_at = 0;
constexpr std::size_t xid_at = 4;
constexpr std::size_t error_at = 16;
constexpr std::size_t header_end = 20;

std::string with(std::string frame, std::size_t at, std::int32_t value) {
    return frame.replace(at, 4, jute_int(value));
}

std::string event_frame(std::int32_t type, std::int32_t state, const std::string& path) {
    const auto size = static_cast<std::int32_t>(path.size());
    const auto body = jute_int(-1) + jute_int(0) + jute_int(0) + jute_int(0) + jute_int(type) +
                      jute_int(state) + jute_int(size) + path;
    return jute_int(static_cast<std::int32_t>(body.size())) + body;
}

struct damage {
    const char* name;
    std::string (*done_to)(std::string);
    bool ends_connection = true;
};

const std::vector<damage> damages{
    {"another xid", [](std::string frame) { return with(std::move(frame), xid_at, 7); }},
    {"the xid of a ping", [](std::string frame) { return with(std::move(frame), xid_at, -2); }},
    {"a negative length", [](std::string frame) { return with(std::move(frame), length_at, -1); }},
    {"a length that never comes",
     [](std::string frame) { return with(std::move(frame), length_at, 0x7fff'ffff); }},
    {"its body cut short",
     [](std::string frame) { return with(frame.substr(0, header_end), length_at, 16); }},
    {"its last byte cut off",
     [](std::string frame) {
         const auto length = static_cast<std::int32_t>(frame.size()) - 5;
         return with(frame.substr(0, frame.size() - 1), length_at, length);
     }},
    {"an answer that nobody asked for behind it",
     [](std::string frame) {
         return frame + jute_int(16) + jute_int(7) + jute_int(0) + jute_int(0) + jute_int(0);
     }},
    {"the answer to a ping that nobody sent behind it",
     [](std::string frame) {
         return frame + jute_int(16) + jute_int(-2) + jute_int(0) + jute_int(0) + jute_int(0);
     }},
    {"an event of the connection's own behind it",
     [](std::string frame) { return frame + event_frame(-1, 3, ""); }},
    {"an event of no known type before it",
     [](std::string frame) { return event_frame(99, 3, "/") + frame; }, false},
    {"an event of no known state before it",
     [](std::string frame) { return event_frame(2, 77, "/") + frame; }, false},
    {"a deletion that nobody watched before it",
     [](std::string frame) { return event_frame(2, 3, "/locks/unheard-of") + frame; }, false},
};

// A holder, and one behind it whose connection goes through the proxy.
struct damaged_line {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    fixture f;
    session direct{f.context, impatient(shared_server().address())};
    session s{f.context, impatient(proxy.address())};
    const std::string path = fresh_path("garbage");
    journal book;
    contender first{direct, path, &book};
    contender second{s, path, &book};

    damaged_line() {
        acquire_now(f, first);
        connect(f, s);
    }

    rule_id damage_reply(op what, std::string (*done_to)(std::string)) {
        return proxy.add_rule({.direction = direction::to_client,
                               .op = what,
                               .path = what == op::multi ? path : path + '/',
                               .action = action::wrong_bytes,
                               .rewritten = done_to});
    }
};

// Of an acquire behind a holder: its enqueue's reply, or its look's, is damaged.
void acquire_through(const damage& harm, op what) {
    INFO(harm.name << " in the reply of " << to_string(what));
    damaged_line l;
    const auto id = l.s.id();
    const auto connections = l.proxy.stats().connections;
    const auto rule = l.damage_reply(what, harm.done_to);
    l.second.acquire();
    l.f.run_until([&] { return l.proxy.hits(rule) == 1; });
    if (harm.ends_connection)
        l.f.run_until([&] { return l.proxy.stats().connections > connections; });
    await_children(l.f, l.eyes, l.path, 2);
    CHECK_FALSE(l.second.holds());
    l.first.release();
    l.f.run_until([&] { return l.second.completed == 1; });
    REQUIRE(l.second.holds());
    CHECK(l.second.lock.is_held());
    CHECK(l.s.id() == id);
    CHECK(l.book.violations() == journal::no_violations);
    l.second.release();
    l.f.run_until([&] { return l.second.completed == 2; });
    await_children(l.f, l.eyes, l.path, 0);
}

} // namespace

TEST_CASE("a reply that makes no sense costs a connection and no place in line") {
    for (const auto what : {op::multi, op::get_data})
        for (const auto& harm : damages)
            acquire_through(harm, what);
}

TEST_CASE("an error that the server alone knows is told as the server's, and leaves nothing") {
    damaged_line l;
    const auto rule = l.damage_reply(op::get_data, [](std::string frame) {
        frame = with(frame.substr(0, header_end), error_at, -4321);
        return with(frame, length_at, 16);
    });
    l.second.acquire();
    l.f.run_until([&] { return l.second.completed == 1 && l.proxy.hits(rule) == 1; });
    CHECK(l.second.failure == error_code{-4321, zookeeper_category()});
    await_children(l.f, l.eyes, l.path, 1);
    CHECK(l.first.lock.is_held());
}

TEST_CASE("no node where no chroot was asked for is an error, and throws out of nothing") {
    frame_proxy proxy{shared_server().port()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    connect(f, s);
    const auto rule =
        proxy.add_rule({.direction = direction::to_client,
                        .op = op::get_children2,
                        .action = action::wrong_bytes,
                        .rewritten = [](std::string frame) {
                            return jute_int(16) + frame.substr(4, 12) + jute_int(-101);
                        }});
    std::optional<error_code> failed;
    s.list_children("/", [&](error_code why, const std::vector<std::string>&) { failed = why; });
    f.run_until([&] { return failed.has_value(); });
    CHECK(*failed == error::no_chroot);
    CHECK(proxy.wait_until_hit(rule)); // counted when the frame is out
}
