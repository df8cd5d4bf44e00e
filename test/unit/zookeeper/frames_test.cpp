// SPDX-License-Identifier: BSL-1.0
#include "support/jute.hpp"
#include "support/pch.hpp"
#include "zookeeper/frames.hpp"

using namespace turnstile::zookeeper;
namespace protocol = turnstile::protocol;
using protocol::operation;
using namespace turnstile::test;

namespace {

std::string handshake_frame(std::int64_t session, std::int32_t timeout,
                            std::string flag = std::string(1, '\0'), std::int32_t version = 0,
                            std::int32_t password = 16) {
    return jute_int(version) + jute_int(timeout) + jute_long(session) + jute_int(password) +
           std::string(16, 'p') + flag;
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

void send(frames& own, const std::string& frame) { own.write(jute_text(frame)); }

bool passes(frames& own, const std::string& frame) {
    own.receive(jute_text(frame));
    return own.refusal().empty();
}
/// Of a copy: what was refused is the last.
bool refuses(frames own, const std::string& frame) { return !passes(own, frame); }

bool refuses_length(frames own, std::int32_t length) {
    own.receive(jute_int(length));
    return !own.refusal().empty();
}

frames shaken(std::int64_t session = 0) {
    frames own{session};
    send(own, std::string(45, '\0'));
    REQUIRE(passes(own, handshake_frame(session == 0 ? 5 : session, 4000)));
    return own;
}

bool accepts_handshake(std::int64_t asked_for, const std::string& frame) {
    frames own{asked_for};
    send(own, std::string(45, '\0'));
    return passes(own, frame);
}

bool accepts_reply(operation asked, const std::string& frame) {
    auto own = shaken();
    own.expect({.op = asked});
    own.set_number(7);
    return passes(own, frame);
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
    CHECK(refuses(frames{0}, handshake_frame(5, 4000)));
}

TEST_CASE("the length of a stranger's first frame is refused before the frame is there") {
    frames own{0};
    send(own, std::string(45, '\0'));
    CHECK(refuses_length(own, 0x48545450)); // "HTTP"
    CHECK(refuses_length(own, -1));
    CHECK(refuses_length(own, 45)); // an echo
    auto later = shaken();
    CHECK(refuses_length(later, -1));
    CHECK(refuses_length(later, 15));
    CHECK(refuses_length(later, 0x7fffffff));
    CHECK_FALSE(refuses_length(later, 16));
    CHECK_FALSE(refuses_length(later, 50'000'000)); // a listing of a million
}

TEST_CASE("each kind of reply passes whole, and is refused cut short") {
    const std::vector<std::pair<operation, std::string>> whole{
        {operation::exists, node_state},
        {operation::create_container, jute_text("/a/b") + node_state},
        {operation::get, jute_text("data") + node_state},
        {operation::get, jute_int(-1) + node_state},
        {operation::get_children, jute_int(2) + jute_text("a") + jute_text("bc") + node_state},
        {operation::get_acl,
         jute_int(1) + jute_int(31) + jute_text("world") + jute_text("anyone") + node_state},
        {operation::enqueue,
         result_of(5, node_state) + result_of(1, jute_text("/a/b")) + end_of_results},
        {operation::enqueue,
         result_of(-1, jute_int(0)) + result_of(-1, jute_int(-101)) + end_of_results},
        {operation::release, result_of(5, node_state) + result_of(2) + end_of_results},
        {operation::check, result_of(13) + end_of_results},
        {operation::set, result_of(5, node_state) + end_of_results},
        {operation::remove, result_of(2) + end_of_results},
        {operation::check, result_of(-1, jute_int(-101)) + end_of_results},
    };
    for (const auto& [asked, body] : whole) {
        INFO(static_cast<int>(asked) << " of " << body.size() << " bytes");
        CHECK(accepts_reply(asked, reply_frame(7, 0, body)));
        CHECK(accepts_reply(asked, reply_frame(7, -101)));
        for (std::size_t size = 0; size < body.size(); ++size)
            CHECK_FALSE(accepts_reply(asked, reply_frame(7, 0, body.substr(0, size))));
    }
    for (const auto asked : {operation::unwatch, operation::unwatch_children})
        CHECK(accepts_reply(asked, reply_frame(7, 0)));
}

TEST_CASE("a reply with lengths or results that cannot be is refused") {
    CHECK_FALSE(accepts_reply(operation::get, reply_frame(7, 0, jute_int(-2) + node_state)));
    CHECK_FALSE(
        accepts_reply(operation::get_children, reply_frame(7, 0, jute_int(-1) + node_state)));
    CHECK_FALSE(accepts_reply(operation::get_children,
                              reply_frame(7, 0, jute_int(0x7fffffff) + node_state)));
    // More results than were asked for are an assertion of the C client; so are fewer to a reader.
    CHECK_FALSE(accepts_reply(operation::check,
                              reply_frame(7, 0, result_of(13) + result_of(13) + end_of_results)));
    CHECK_FALSE(accepts_reply(operation::check, reply_frame(7, 0, end_of_results)));
    CHECK_FALSE(accepts_reply(operation::check, reply_frame(7, 0, result_of(2) + end_of_results)));
}

TEST_CASE("an answer passes to what was asked, in the order in which it was asked") {
    CHECK(refuses(shaken(), reply_frame(7, 0)));
    auto own = shaken();
    own.expect({.op = operation::unwatch});
    own.set_number(7);
    own.expect({.op = operation::exists});
    own.set_number(8);
    CHECK(refuses(own, reply_frame(8, -101)));
    CHECK(passes(own, reply_frame(7, 0)));
    CHECK(passes(own, reply_frame(8, 0, node_state)));
    CHECK(refuses(own, reply_frame(8, 0, node_state)));
}

TEST_CASE("identities are answered out of order, once each") {
    auto own = shaken();
    CHECK(refuses(own, reply_frame(-4, -115)));
    own.expect({.op = operation::exists});
    own.set_number(7);
    own.expect_login();
    CHECK(passes(own, reply_frame(-4, 0)));
    CHECK(refuses(own, reply_frame(-4, 0)));
    CHECK(passes(own, reply_frame(7, -101)));
    CHECK(refuses(own, reply_frame(-2, 0))); // a ping, which no session sends
}

TEST_CASE("events of nodes pass, and none of the connection itself") {
    auto own = shaken();
    CHECK(passes(own, event_frame(3, jute_text("/a"))));
    CHECK(passes(own, event_frame(99, jute_text("/a"))));
    CHECK(refuses(own, event_frame(-1, jute_text(""))));
    CHECK(refuses(own, event_frame(3, jute_int(5) + "/a")));
    CHECK(refuses(own, reply_frame(-8, 0))); // a SetWatches, which no session sends
}

TEST_CASE("the C client reads one frame at a time, and only what was let pass") {
    const auto framed = [](const std::string& frame) { return jute_text(frame); };
    frames socket{0};
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
    socket.receive((greeting + next).substr(0, 20));
    CHECK_FALSE(socket.has_input());
    CHECK(socket.read(got.data(), 41) == 0);
    socket.receive((greeting + next).substr(20, 30));
    CHECK(socket.read(got.data(), 41) == 40);
    CHECK(got.substr(0, 40) == greeting);
    CHECK_FALSE(socket.has_input());
    socket.receive((greeting + next).substr(50));
    CHECK(socket.read(got.data(), 4) == 4);
    CHECK(got.substr(0, 4) == next.substr(0, 4));
    got.resize(next.size());
    CHECK(socket.read(got.data(), 1000) == next.size() - 4);
    CHECK(got.substr(0, next.size() - 4) == next.substr(4));

    CHECK(socket.refusal().empty());
    socket.receive(next + framed(reply_frame(7, 0)) + next);
    CHECK_FALSE(socket.refusal().empty());
    CHECK(socket.has_input()); // what came before it
    CHECK(socket.read(got.data(), 4) == 4);
    CHECK(socket.read(got.data(), 1000) == next.size() - 4);
    socket.receive(next);
    CHECK_FALSE(socket.has_input());
}

TEST_CASE("a transaction's answer has a result for each of its steps") {
    using enum protocol::step_kind;
    const auto accepts = [](const std::vector<protocol::step_kind>& steps,
                            const std::string& body) {
        auto own = shaken();
        protocol::request asked{.op = operation::transact};
        for (const auto step : steps)
            asked.steps.push_back({.what = step});
        own.expect(asked);
        own.set_number(7);
        return passes(own, reply_frame(7, 0, body));
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

namespace {

std::string sasl_frame(std::int32_t xid, const std::string& token, std::int32_t error = 0) {
    return jute_int(xid) + jute_long(0) + jute_int(error) + jute_text(token);
}

/// Was granted a session, and sent "first". What it sent is taken.
frames in_sasl(std::int64_t session = 0) {
    frames own{session};
    own.begin_sasl("first");
    send(own, std::string(45, '\0'));
    own.sent(own.output().size());
    REQUIRE(passes(own, handshake_frame(session == 0 ? 5 : session, 4000)));
    return own;
}

std::string all_read(frames& own) {
    std::string result(4096, '\0');
    std::size_t size = 0;
    while (const auto count = own.read(result.data() + size, result.size() - size))
        size += count;
    result.resize(size);
    return result;
}

} // namespace

TEST_CASE("the first token of SASL leaves when a session is granted, and not before") {
    for (const std::int64_t session : {0, 5}) {
        auto own = in_sasl(session);
        CHECK(own.output() == jute_text(jute_int(1) + jute_int(102) + jute_text("first")));
    }
    frames expired{5};
    expired.begin_sasl("first");
    send(expired, std::string(45, '\0'));
    expired.sent(expired.output().size());
    REQUIRE(passes(expired, handshake_frame(0, 0)));
    CHECK(expired.output().empty());
    CHECK(expired.has_input());
}

TEST_CASE("the C client hears of its handshake when SASL is over, and never of SASL") {
    auto own = in_sasl();
    CHECK_FALSE(own.has_input());
    CHECK(all_read(own).empty());
    CHECK_FALSE(own.take_sasl_answer());
    REQUIRE(passes(own, sasl_frame(1, "challenge")));
    const auto challenge = own.take_sasl_answer();
    REQUIRE(challenge);
    CHECK(challenge->error == 0);
    CHECK(challenge->token == "challenge");
    CHECK_FALSE(own.take_sasl_answer());
    own.sent(own.output().size());
    own.send_sasl("");
    CHECK(own.output() == jute_text(jute_int(2) + jute_int(102) + jute_text("")));
    own.receive(jute_text(jute_int(2) + jute_long(0) + jute_int(0) + jute_int(-1))); // no token
    REQUIRE(own.refusal().empty());
    CHECK(own.take_sasl_answer().value().token.empty());
    CHECK_FALSE(own.has_input());
    own.end_sasl();
    CHECK(all_read(own) == jute_text(handshake_frame(5, 4000)));
    own.expect({.op = operation::unwatch});
    own.set_number(7);
    CHECK(passes(own, reply_frame(7, 0)));
    CHECK(all_read(own) == jute_text(reply_frame(7, 0)));
}

TEST_CASE("an answer in SASL may come byte by byte, or with the handshake's") {
    frames own{0};
    own.begin_sasl("");
    send(own, std::string(45, '\0'));
    for (const char byte : jute_text(handshake_frame(5, 4000)) + jute_text(sasl_frame(1, "token")))
        own.receive(std::string(1, byte));
    REQUIRE(own.refusal().empty());
    CHECK(own.take_sasl_answer().value().token == "token");
    own.end_sasl();
    CHECK(all_read(own) == jute_text(handshake_frame(5, 4000)));
    frames at_once{0};
    at_once.begin_sasl("");
    send(at_once, std::string(45, '\0'));
    at_once.receive(jute_text(handshake_frame(5, 4000)) + jute_text(sasl_frame(1, "token")));
    REQUIRE(at_once.refusal().empty());
    CHECK(at_once.take_sasl_answer().value().token == "token");
}

TEST_CASE("an error in SASL passes with whatever stands behind it") {
    for (const auto& rest : {std::string(), jute_int(-1), std::string("junk")}) {
        auto own = in_sasl();
        REQUIRE(passes(own, jute_int(1) + jute_long(0) + jute_int(-115) + rest));
        CHECK(own.take_sasl_answer().value().error == -115);
    }
}

TEST_CASE("an answer in SASL that is cut short, too long or not asked for is refused") {
    const auto whole = sasl_frame(1, "token");
    for (std::size_t size = 16; size < whole.size(); ++size)
        CHECK(refuses(in_sasl(), whole.substr(0, size)));
    CHECK(refuses_length(in_sasl(), 15));
    CHECK(refuses_length(in_sasl(), 0x48545450));
    CHECK(refuses(in_sasl(), whole + "x"));
    CHECK(refuses(in_sasl(), jute_int(1) + jute_long(0) + jute_int(0) + jute_int(-2)));
    CHECK(refuses(in_sasl(), jute_int(1) + jute_long(0) + jute_int(0) + jute_int(0x7fffffff)));
    CHECK(refuses(in_sasl(), sasl_frame(2, "token")));
    CHECK(refuses(in_sasl(), sasl_frame(0, "token", -115)));
    CHECK(refuses(in_sasl(), event_frame(1, jute_text("/a"))));
    CHECK(refuses(in_sasl(), reply_frame(-4, 0))); // to an identity that was not presented yet
    auto answered = in_sasl();
    REQUIRE(passes(answered, whole));
    CHECK(refuses(answered, whole)); // twice
    CHECK(refuses(answered, sasl_frame(2, "token")));
    auto over = in_sasl();
    over.end_sasl();
    CHECK(refuses(over, whole));
    CHECK(refuses(shaken(), whole)); // without SASL
}

TEST_CASE("the answer to a close is told, and the C client does not see it") {
    auto own = shaken();
    own.sent(own.output().size());
    own.send_close();
    CHECK(own.output() == jute_text(jute_int(0x7fffffff) + jute_int(-11)));
    CHECK(passes(own, event_frame(2, jute_text("/l/a"))));
    CHECK_FALSE(own.close_was_answered());
    own.receive(jute_text(reply_frame(0x7fffffff, 0)));
    CHECK(own.close_was_answered());
    std::string seen(100, '\0');
    own.read(seen.data(), seen.size()); // the handshake
    const auto event = own.read(seen.data(), seen.size());
    CHECK(event == jute_text(event_frame(2, jute_text("/l/a"))).size());
    CHECK_FALSE(own.has_input());
}
