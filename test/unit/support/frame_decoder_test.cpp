// SPDX-License-Identifier: BSL-1.0
// What the proxy reads in frames, and which of them a rule means.
#include "support/frame_decoder.hpp"
#include "support/pch.hpp"
#include "support/rule_book.hpp"
#include "support/wire_notes.hpp"

using namespace turnstile::test;

namespace {

std::string number(std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (auto i = size; i-- > 0;)
        bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

std::string text(std::string_view what) { return number(what.size(), 4) + std::string(what); }

std::string framed(const std::string& body) { return number(body.size(), 4) + body; }

std::string connect_frame(std::uint64_t session) {
    return framed(number(0, 4) + number(77, 8) + number(1000, 4) + number(session, 8) +
                  text(std::string(16, 'p')));
}

std::string connect_reply(std::uint64_t session) {
    return framed(number(0, 4) + number(1000, 4) + number(session, 8) + text(std::string(16, 'p')));
}

std::string part(op what, std::string_view path, const std::string& rest) {
    return number(static_cast<std::uint64_t>(what), 4) + number(0, 1) + number(0xffffffff, 4) +
           text(path) + rest;
}

std::string transaction(std::uint64_t xid, op first, std::string_view path) {
    return framed(number(xid, 4) + number(14, 4) + part(first, path, {}));
}

std::string framed_reply(std::uint64_t xid) {
    return framed(number(xid, 4) + number(5, 8) + number(0, 4));
}

} // namespace

TEST_CASE("a frame decoder tells the first part of a transaction, and so of its reply") {
    frame_decoder decoder;
    CHECK(decoder.decode(direction::to_server, connect_frame(0)).op == op::connect);
    const auto request =
        decoder.decode(direction::to_server, transaction(9, op::set_data, "/locks/a"));
    CHECK(request.op == op::multi);
    CHECK(request.part == op::set_data);
    CHECK(request.path == "/locks/a");
    CHECK(decoder.decode(direction::to_client, connect_reply(3)).op == op::connect);
    const auto answer = decoder.decode(direction::to_client, framed_reply(9));
    CHECK(answer.op == op::multi);
    CHECK(answer.part == op::set_data);
    CHECK(answer.path == "/locks/a");
}

TEST_CASE("a frame decoder tells the last part of a transaction") {
    frame_decoder decoder;
    (void)decoder.decode(direction::to_server, connect_frame(0));
    (void)decoder.decode(direction::to_client, connect_reply(3));
    const auto version = number(7, 4);
    const auto checked = part(op::check, "/locks/a/x", version);
    const auto set = part(op::set_data, "/locks/a", text("data") + version);
    const auto rights = number(2, 4) + number(31, 4) + text("world") + text("anyone") +
                        number(1, 4) + text("digest") + text("me:secret");
    const auto made = part(op::create, "/locks/a/y", text("") + rights + number(3, 4));
    const auto end = number(0xffffffff, 4) + number(1, 1) + number(0xffffffff, 4);
    const auto last_of = [&](const std::string& parts) {
        const auto body = number(9, 4) + number(14, 4) + parts + end;
        return decoder.decode(direction::to_server, framed(body)).last_part;
    };
    CHECK(last_of(checked) == op::check);
    CHECK(last_of(checked + set) == op::set_data);
    CHECK(last_of(checked + set + made) == op::create);
    CHECK(decoder.decode(direction::to_client, framed_reply(9)).last_part == op::check);
    CHECK(last_of(made + part(op::remove, "/locks/a/x", version)) == op::remove);
}

TEST_CASE("a frame decoder tells that a node is not there, in each way in which servers do") {
    frame_decoder decoder;
    (void)decoder.decode(direction::to_server, connect_frame(0));
    (void)decoder.decode(direction::to_client, connect_reply(3));
    const auto no_node = number(static_cast<std::uint32_t>(-101), 4);
    const auto ask = [&](std::uint64_t xid, const std::string& body) {
        (void)decoder.decode(direction::to_server, framed(number(xid, 4) + body));
    };
    const auto answered = [&](std::uint64_t xid, const std::string& rest) {
        return decoder.decode(direction::to_client, framed(number(xid, 4) + number(5, 8) + rest));
    };
    const auto failed_part = number(0, 4) + number(0xffffffff, 4) + number(0, 1) + no_node;
    (void)decoder.decode(direction::to_server, transaction(1, op::check, "/locks/a"));
    const auto check = answered(1, failed_part);
    CHECK(check.error == 0);
    CHECK(check.part_error == -101);
    CHECK(wire_notes::tells_gone(check) == std::string_view{"check"});
    (void)decoder.decode(direction::to_server, transaction(2, op::check, "/locks/a"));
    CHECK(wire_notes::tells_gone(answered(2, number(0, 4) + number(13, 4) + number(0, 5))) ==
          nullptr);
    (void)decoder.decode(direction::to_server, transaction(3, op::set_data, "/locks/a"));
    CHECK(wire_notes::tells_gone(answered(3, failed_part)) == nullptr); // of another's node
    ask(4, number(4, 4) + text("/locks/a") + number(1, 1));
    CHECK(wire_notes::tells_gone(answered(4, no_node)) == std::string_view{"get"});
    ask(5, number(4, 4) + text("/locks/a") + number(1, 1));
    CHECK(wire_notes::tells_gone(answered(5, number(0, 4))) == nullptr);
    const auto event = [&](std::uint64_t type) {
        return answered(0xffffffff,
                        number(0, 4) + number(type, 4) + number(3, 4) + text("/locks/a"));
    };
    CHECK(event(2).event == 2);
    CHECK(event(2).path == "/locks/a");
    CHECK(wire_notes::tells_gone(event(2)) == std::string_view{"event"});
    CHECK(wire_notes::tells_gone(event(3)) == nullptr); // changed
}
