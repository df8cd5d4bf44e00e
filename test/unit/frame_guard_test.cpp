#include "support/pch.hpp"
#include "zookeeper/client_socket.hpp"
#include "zookeeper/frame_guard.hpp"

#include <cstdint>
#include <string>

using namespace turnstile::zookeeper;

namespace {

template <class Integer>
std::string bytes_of(Integer value) {
    std::string bytes;
    for (int shift = static_cast<int>(sizeof(value)) * 8 - 8; shift >= 0; shift -= 8)
        bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xffU);
    return bytes;
}

std::string int_(std::int32_t value) { return bytes_of(value); }
std::string long_(std::int64_t value) { return bytes_of(value); }
std::string text(const std::string& value) {
    return int_(static_cast<std::int32_t>(value.size())) + value;
}

std::string handshake(std::int64_t session, std::int32_t timeout,
                      std::string flag = std::string(1, '\0'), std::int32_t version = 0,
                      std::int32_t password = 16) {
    return int_(version) + int_(timeout) + long_(session) + int_(password) + std::string(16, 'p') +
           flag;
}

std::string request(std::int32_t xid, std::int32_t type) { return int_(xid) + int_(type); }
std::string reply(std::int32_t xid, std::int32_t error, const std::string& body = {}) {
    return int_(xid) + long_(9) + int_(error) + body;
}
std::string event(std::int32_t type, const std::string& path) {
    return reply(-1, 0, int_(type) + int_(3) + path);
}
std::string result(std::int32_t type, const std::string& body = {}, bool done = false) {
    return int_(type) + std::string(1, done ? '\1' : '\0') + int_(done ? -1 : 0) + body;
}
const std::string end_of_results = result(-1, {}, true);
const std::string node_state(68, 's');

constexpr std::int32_t get_data = 4;
constexpr std::int32_t multi = 14;

frame_guard shaken(std::int64_t session = 0) {
    frame_guard guard{session};
    guard.on_sent(std::string(45, '\0'));
    REQUIRE_FALSE(guard.refuse_length(37));
    REQUIRE_FALSE(guard.refuse(handshake(session == 0 ? 5 : session, 4000)));
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
    guard.on_sent(request(7, shape == reply_shape::check ? multi : get_data));
    return !guard.refuse(frame);
}

} // namespace

TEST_CASE("a server's answers to a handshake pass") {
    CHECK(accepts_handshake(0, handshake(5, 4000)));
    CHECK(accepts_handshake(5, handshake(5, 4000)));
    CHECK(accepts_handshake(-5, handshake(-5, 4000)));
    CHECK(accepts_handshake(5, handshake(5, 4000, {}))); // of a server before 3.4
    CHECK(accepts_handshake(5, handshake(0, 0)));        // the session has expired
}

TEST_CASE("what no server answers to a handshake is refused") {
    CHECK_FALSE(accepts_handshake(0, handshake(0, 0)));
    CHECK_FALSE(accepts_handshake(0, handshake(5, 0)));
    CHECK_FALSE(accepts_handshake(0, handshake(5, -1)));
    CHECK_FALSE(accepts_handshake(0, handshake(0, 4000)));
    CHECK_FALSE(accepts_handshake(5, handshake(6, 4000)));
    CHECK_FALSE(accepts_handshake(5, handshake(0, 4000)));
    CHECK_FALSE(accepts_handshake(0, handshake(5, 4000, "\1"))); // a read-only server
    CHECK_FALSE(accepts_handshake(0, handshake(5, 4000, "\7")));
    CHECK_FALSE(accepts_handshake(0, handshake(5, 4000, std::string(1, '\0'), 1)));
    CHECK_FALSE(accepts_handshake(0, handshake(5, 4000, std::string(1, '\0'), 0, 15)));
    CHECK_FALSE(accepts_handshake(0, handshake(5, 4000) + "x"));
    CHECK_FALSE(accepts_handshake(0, "HTTP/1.1 400 Bad Request\r\n"));
}

TEST_CASE("an answer before the handshake was asked for is refused") {
    frame_guard guard{0};
    CHECK(guard.refuse(handshake(5, 4000)));
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
        {reply_shape::path, text("/a")},
        {reply_shape::stat, node_state},
        {reply_shape::path_and_stat, text("/a/b") + node_state},
        {reply_shape::data_and_stat, text("data") + node_state},
        {reply_shape::data_and_stat, int_(-1) + node_state},
        {reply_shape::names_and_stat, int_(2) + text("a") + text("bc") + node_state},
        {reply_shape::enqueue, result(5, node_state) + result(1, text("/a/b")) + end_of_results},
        {reply_shape::enqueue, result(-1, int_(0)) + result(-1, int_(-101)) + end_of_results},
        {reply_shape::release, result(5, node_state) + result(2) + end_of_results},
        {reply_shape::check, result(13) + end_of_results},
        {reply_shape::check, result(-1, int_(-101)) + end_of_results},
    };
    for (const auto& [shape, body] : whole) {
        INFO(static_cast<int>(shape) << " of " << body.size() << " bytes");
        CHECK(accepts_reply(shape, reply(7, 0, body)));
        CHECK(accepts_reply(shape, reply(7, -101)));
        for (std::size_t size = 0; size < body.size(); ++size)
            CHECK_FALSE(accepts_reply(shape, reply(7, 0, body.substr(0, size))));
    }
    CHECK(accepts_reply(reply_shape::nothing, reply(7, 0)));
}

TEST_CASE("a reply with lengths or results that cannot be is refused") {
    CHECK_FALSE(accepts_reply(reply_shape::data_and_stat, reply(7, 0, int_(-2) + node_state)));
    CHECK_FALSE(accepts_reply(reply_shape::path, reply(7, 0, int_(-1))));
    CHECK_FALSE(accepts_reply(reply_shape::names_and_stat, reply(7, 0, int_(-1) + node_state)));
    CHECK_FALSE(
        accepts_reply(reply_shape::names_and_stat, reply(7, 0, int_(0x7fffffff) + node_state)));
    // More results than were asked for are an assertion of the C client; so are fewer to a reader.
    CHECK_FALSE(
        accepts_reply(reply_shape::check, reply(7, 0, result(13) + result(13) + end_of_results)));
    CHECK_FALSE(accepts_reply(reply_shape::check, reply(7, 0, end_of_results)));
    CHECK_FALSE(accepts_reply(reply_shape::check, reply(7, 0, result(2) + end_of_results)));
}

TEST_CASE("an answer passes to what was asked, in the order in which it was asked") {
    CHECK(shaken().refuse(reply(7, 0)));
    auto guard = shaken();
    guard.expect(reply_shape::nothing);
    guard.on_sent(request(7, get_data));
    guard.expect(reply_shape::stat);
    guard.on_sent(request(8, get_data));
    CHECK(guard.refuse(reply(8, -101)));
    CHECK_FALSE(guard.refuse(reply(7, 0)));
    CHECK_FALSE(guard.refuse(reply(8, 0, node_state)));
    CHECK(guard.refuse(reply(8, 0, node_state)));
}

TEST_CASE("pings and identities are answered out of order, once each") {
    constexpr std::int32_t ping = 11;
    constexpr std::int32_t login = 100;
    auto guard = shaken();
    CHECK(guard.refuse(reply(-2, 0)));
    CHECK(guard.refuse(reply(-4, -115)));
    guard.on_sent(request(-2, ping));
    guard.on_sent(request(-4, login));
    CHECK_FALSE(guard.refuse(reply(-4, 0)));
    CHECK_FALSE(guard.refuse(reply(-2, 0)));
    CHECK(guard.refuse(reply(-4, 0)));
    CHECK(guard.refuse(reply(-2, 0)));
}

TEST_CASE("events of nodes pass, and none of the connection itself") {
    auto guard = shaken();
    CHECK_FALSE(guard.refuse(event(3, text("/a"))));
    CHECK_FALSE(guard.refuse(event(99, text("/a"))));
    CHECK(guard.refuse(event(-1, text(""))));
    CHECK(guard.refuse(event(3, int_(5) + "/a")));
    CHECK(guard.refuse(reply(-8, 0))); // a SetWatches, which no session sends
}

TEST_CASE("the C client reads one frame at a time, and only what the guard let pass") {
    const auto framed = [](const std::string& frame) { return text(frame); };
    client_socket socket{0};
    socket.write(framed(std::string(45, '\0')).substr(0, 4)); // as the C client writes it
    socket.write(std::string(45, '\0'));
    CHECK(socket.output().size() == 49);
    socket.sent(40);
    CHECK(socket.output().size() == 9);
    socket.sent(9);
    CHECK(socket.output().empty());

    const auto greeting = framed(handshake(5, 4000, {})); // 40 bytes; the C client asks for 41
    const auto next = framed(event(3, text("/a")));
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

    CHECK_FALSE(socket.receive(next + framed(reply(7, 0)) + next));
    CHECK_FALSE(socket.refusal().empty());
    CHECK(socket.has_input()); // what came before it
    CHECK(socket.read(got.data(), 4) == 4);
    CHECK(socket.read(got.data(), 1000) == next.size() - 4);
    CHECK_FALSE(socket.has_input());
    CHECK_FALSE(socket.receive(next));
}
