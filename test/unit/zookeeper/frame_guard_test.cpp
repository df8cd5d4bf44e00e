// SPDX-License-Identifier: BSL-1.0
#include "support/jute.hpp"
#include "support/pch.hpp"
#include "zookeeper/client_socket.hpp"
#include "zookeeper/frame_guard.hpp"

#include <cstdint>
#include <string>

using namespace turnstile::zookeeper;
namespace protocol = turnstile::protocol;
using namespace turnstile::test;

namespace {

std::string handshake_frame(std::int64_t session, std::int32_t timeout,
                            std::string flag = std::string(1, '\0'), std::int32_t version = 0,
                            std::int32_t password = 16) {
    return jute_int(version) + jute_int(timeout) + jute_long(session) + jute_int(password) +
           std::string(16, 'p') + flag;
}

std::string request_frame(std::int32_t xid, std::int32_t type) {
    return jute_int(xid) + jute_int(type);
}
std::string reply_frame(std::int32_t xid, std::int32_t error, const std::string& body = {}) {
    return jute_int(xid) + jute_long(9) + jute_int(error) + body;
}
std::string event_frame(std::int32_t type, const std::string& path) {
    return reply_frame(-1, 0, jute_int(type) + jute_int(3) + path);
}
std::string result_of(std::int32_t type, const std::string& body = {}, bool done = false) {
    return jute_int(type) + std::string(1, done ? '\1' : '\0') + jute_int(done ? -1 : 0) + body;
}
const std::string end_of_results = result_of(-1, {}, true);
const std::string node_state(68, 's');

constexpr std::int32_t get_data = 4;
constexpr std::int32_t multi = 14;

frame_guard shaken(std::int64_t session = 0) {
    frame_guard guard{session};
    guard.on_sent(std::string(45, '\0'));
    REQUIRE_FALSE(guard.refuse_length(37));
    REQUIRE_FALSE(guard.refuse(handshake_frame(session == 0 ? 5 : session, 4000)));
    return guard;
}

bool accepts_handshake(std::int64_t asked_for, const std::string& frame) {
    frame_guard guard{asked_for};
    guard.on_sent(std::string(45, '\0'));
    return !guard.refuse_length(static_cast<std::int32_t>(frame.size())) && !guard.refuse(frame);
}

bool accepts_reply(reply_shape shape, const std::string& frame) {
    auto guard = shaken();
    guard.expect(shape);
    guard.on_sent(request_frame(7, shape == reply_shape::check ? multi : get_data));
    return !guard.refuse(frame);
}

} // namespace

TEST_CASE("a server's answers to a handshake pass") {
    CHECK(accepts_handshake(0, handshake_frame(5, 4000)));
    CHECK(accepts_handshake(5, handshake_frame(5, 4000)));
    CHECK(accepts_handshake(-5, handshake_frame(-5, 4000)));
    CHECK(accepts_handshake(5, handshake_frame(5, 4000, {}))); // of a server before 3.4
    CHECK(accepts_handshake(5, handshake_frame(0, 0)));        // the session has expired
}

TEST_CASE("what no server answers to a handshake is refused") {
    CHECK_FALSE(accepts_handshake(0, handshake_frame(0, 0)));
    CHECK_FALSE(accepts_handshake(0, handshake_frame(5, 0)));
    CHECK_FALSE(accepts_handshake(0, handshake_frame(5, -1)));
    CHECK_FALSE(accepts_handshake(0, handshake_frame(0, 4000)));
    CHECK_FALSE(accepts_handshake(5, handshake_frame(6, 4000)));
    CHECK_FALSE(accepts_handshake(5, handshake_frame(0, 4000)));
    CHECK_FALSE(accepts_handshake(0, handshake_frame(5, 4000, "\1"))); // a read-only server
    CHECK_FALSE(accepts_handshake(0, handshake_frame(5, 4000, "\7")));
    CHECK_FALSE(accepts_handshake(0, handshake_frame(5, 4000, std::string(1, '\0'), 1)));
    CHECK_FALSE(accepts_handshake(0, handshake_frame(5, 4000, std::string(1, '\0'), 0, 15)));
    CHECK_FALSE(accepts_handshake(0, handshake_frame(5, 4000) + "x"));
    CHECK_FALSE(accepts_handshake(0, "HTTP/1.1 400 Bad Request\r\n"));
}

TEST_CASE("an answer before the handshake was asked for is refused") {
    frame_guard guard{0};
    CHECK(guard.refuse(handshake_frame(5, 4000)));
}

TEST_CASE("the length of a stranger's first frame is refused before the frame is there") {
    frame_guard guard{0};
    guard.on_sent(std::string(45, '\0'));
    CHECK(guard.refuse_length(0x48545450)); // "HTTP"
    CHECK(guard.refuse_length(-1));
    CHECK(guard.refuse_length(45)); // an echo
    auto later = shaken();
    CHECK(later.refuse_length(-1));
    CHECK(later.refuse_length(15));
    CHECK(later.refuse_length(0x7fffffff));
    CHECK_FALSE(later.refuse_length(16));
    CHECK_FALSE(later.refuse_length(50'000'000)); // a listing of a million
}

TEST_CASE("each kind of reply passes whole, and is refused cut short") {
    const std::vector<std::pair<reply_shape, std::string>> whole{
        {reply_shape::path, jute_text("/a")},
        {reply_shape::stat, node_state},
        {reply_shape::path_and_stat, jute_text("/a/b") + node_state},
        {reply_shape::data_and_stat, jute_text("data") + node_state},
        {reply_shape::data_and_stat, jute_int(-1) + node_state},
        {reply_shape::names_and_stat, jute_int(2) + jute_text("a") + jute_text("bc") + node_state},
        {reply_shape::acl_and_stat,
         jute_int(1) + jute_int(31) + jute_text("world") + jute_text("anyone") + node_state},
        {reply_shape::enqueue,
         result_of(5, node_state) + result_of(1, jute_text("/a/b")) + end_of_results},
        {reply_shape::enqueue,
         result_of(-1, jute_int(0)) + result_of(-1, jute_int(-101)) + end_of_results},
        {reply_shape::release, result_of(5, node_state) + result_of(2) + end_of_results},
        {reply_shape::check, result_of(13) + end_of_results},
        {reply_shape::check, result_of(-1, jute_int(-101)) + end_of_results},
    };
    for (const auto& [shape, body] : whole) {
        INFO(static_cast<int>(shape) << " of " << body.size() << " bytes");
        CHECK(accepts_reply(shape, reply_frame(7, 0, body)));
        CHECK(accepts_reply(shape, reply_frame(7, -101)));
        for (std::size_t size = 0; size < body.size(); ++size)
            CHECK_FALSE(accepts_reply(shape, reply_frame(7, 0, body.substr(0, size))));
    }
    CHECK(accepts_reply(reply_shape::nothing, reply_frame(7, 0)));
}

TEST_CASE("a reply with lengths or results that cannot be is refused") {
    CHECK_FALSE(
        accepts_reply(reply_shape::data_and_stat, reply_frame(7, 0, jute_int(-2) + node_state)));
    CHECK_FALSE(accepts_reply(reply_shape::path, reply_frame(7, 0, jute_int(-1))));
    CHECK_FALSE(
        accepts_reply(reply_shape::names_and_stat, reply_frame(7, 0, jute_int(-1) + node_state)));
    CHECK_FALSE(accepts_reply(reply_shape::names_and_stat,
                              reply_frame(7, 0, jute_int(0x7fffffff) + node_state)));
    // More results than were asked for are an assertion of the C client; so are fewer to a reader.
    CHECK_FALSE(accepts_reply(reply_shape::check,
                              reply_frame(7, 0, result_of(13) + result_of(13) + end_of_results)));
    CHECK_FALSE(accepts_reply(reply_shape::check, reply_frame(7, 0, end_of_results)));
    CHECK_FALSE(
        accepts_reply(reply_shape::check, reply_frame(7, 0, result_of(2) + end_of_results)));
}

TEST_CASE("an answer passes to what was asked, in the order in which it was asked") {
    CHECK(shaken().refuse(reply_frame(7, 0)));
    auto guard = shaken();
    guard.expect(reply_shape::nothing);
    guard.on_sent(request_frame(7, get_data));
    guard.expect(reply_shape::stat);
    guard.on_sent(request_frame(8, get_data));
    CHECK(guard.refuse(reply_frame(8, -101)));
    CHECK_FALSE(guard.refuse(reply_frame(7, 0)));
    CHECK_FALSE(guard.refuse(reply_frame(8, 0, node_state)));
    CHECK(guard.refuse(reply_frame(8, 0, node_state)));
}

TEST_CASE("pings and identities are answered out of order, once each") {
    constexpr std::int32_t ping = 11;
    constexpr std::int32_t login = 100;
    auto guard = shaken();
    CHECK(guard.refuse(reply_frame(-2, 0)));
    CHECK(guard.refuse(reply_frame(-4, -115)));
    guard.on_sent(request_frame(-2, ping));
    guard.on_sent(request_frame(-4, login));
    CHECK_FALSE(guard.refuse(reply_frame(-4, 0)));
    CHECK_FALSE(guard.refuse(reply_frame(-2, 0)));
    CHECK(guard.refuse(reply_frame(-4, 0)));
    CHECK(guard.refuse(reply_frame(-2, 0)));
}

TEST_CASE("events of nodes pass, and none of the connection itself") {
    auto guard = shaken();
    CHECK_FALSE(guard.refuse(event_frame(3, jute_text("/a"))));
    CHECK_FALSE(guard.refuse(event_frame(99, jute_text("/a"))));
    CHECK(guard.refuse(event_frame(-1, jute_text(""))));
    CHECK(guard.refuse(event_frame(3, jute_int(5) + "/a")));
    CHECK(guard.refuse(reply_frame(-8, 0))); // a SetWatches, which no session sends
}

TEST_CASE("the C client reads one frame at a time, and only what the guard let pass") {
    const auto framed = [](const std::string& frame) { return jute_text(frame); };
    client_socket socket{0};
    socket.write(framed(std::string(45, '\0')).substr(0, 4)); // as the C client writes it
    socket.write(std::string(45, '\0'));
    CHECK(socket.output().size() == 49);
    socket.sent(40);
    CHECK(socket.output().size() == 9);
    socket.sent(9);
    CHECK(socket.output().empty());

    const auto greeting =
        framed(handshake_frame(5, 4000, {})); // 40 bytes; the C client asks for 41
    const auto next = framed(event_frame(3, jute_text("/a")));
    std::string got(41, '\0');
    CHECK(socket.receive((greeting + next).substr(0, 20)));
    CHECK_FALSE(socket.has_input());
    CHECK(socket.read(got.data(), 41) == 0);
    CHECK(socket.receive((greeting + next).substr(20, 30)));
    CHECK(socket.read(got.data(), 41) == 40);
    CHECK(got.substr(0, 40) == greeting);
    CHECK_FALSE(socket.has_input());
    CHECK(socket.receive((greeting + next).substr(50)));
    CHECK(socket.read(got.data(), 4) == 4);
    CHECK(got.substr(0, 4) == next.substr(0, 4));
    got.resize(next.size());
    CHECK(socket.read(got.data(), 1000) == next.size() - 4);
    CHECK(got.substr(0, next.size() - 4) == next.substr(4));

    CHECK_FALSE(socket.receive(next + framed(reply_frame(7, 0)) + next));
    CHECK_FALSE(socket.refusal().empty());
    CHECK(socket.has_input()); // what came before it
    CHECK(socket.read(got.data(), 4) == 4);
    CHECK(socket.read(got.data(), 1000) == next.size() - 4);
    CHECK_FALSE(socket.has_input());
    CHECK_FALSE(socket.receive(next));
}

TEST_CASE("a transaction's answer has a result for each of its steps") {
    using enum protocol::step_kind;
    const auto accepts = [](std::vector<protocol::step_kind> steps, const std::string& body) {
        auto guard = shaken();
        guard.expect(expected_reply{.shape = reply_shape::transaction, .steps = std::move(steps)});
        guard.on_sent(request_frame(7, multi));
        return !guard.refuse(reply_frame(7, 0, body));
    };
    const auto made = result_of(1, jute_text("/a/b"));
    const auto all = result_of(13) + result_of(5, node_state) + result_of(2) + made + made + made;
    const std::vector<protocol::step_kind> steps{
        check, set, remove, create, create_ephemeral, create_sequential};
    CHECK(accepts(steps, all + end_of_results));
    CHECK_FALSE(accepts(steps, all));
    CHECK_FALSE(accepts(steps, all + made + end_of_results));
    CHECK_FALSE(accepts({check}, all + end_of_results));
    CHECK_FALSE(accepts({set}, made + end_of_results));
    CHECK_FALSE(accepts({set}, result_of(5, node_state.substr(1)) + end_of_results));
    CHECK(accepts({check, create_sequential},
                  result_of(-1, jute_int(-103)) + result_of(-1, jute_int(-2)) + end_of_results));
}
