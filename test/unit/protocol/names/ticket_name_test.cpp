// SPDX-License-Identifier: BSL-1.0
// Our own names: what a create asks for, and what the server makes of it.
#include "protocol/names/ticket_name.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

namespace {

constexpr auto highest = std::numeric_limits<std::int32_t>::max();

} // namespace

TEST_CASE("a ticket name is its mark, the incarnation in hex, its kind and ten digits") {
    const ticket_name exclusive{.incarnation = 0x1f, .sequence = 42};
    CHECK(exclusive.prefix() == "turn-1f-lock-");
    CHECK(exclusive.str() == "turn-1f-lock-0000000042");

    const ticket_name shared{.incarnation = 0x1f, .sequence = 7, .kind = ticket_kind::shared};
    CHECK(shared.prefix() == "turn-1f-read-lock-");
    CHECK(shared.str() == "turn-1f-read-lock-0000000007");

    CHECK(exclusive.as_downgraded().str() == "turn-1f-down-read-lock-0000000042");
    CHECK(ticket_name::parse("turn-1f-down-read-lock-0000000042") == exclusive.as_downgraded());
    CHECK_FALSE(ticket_name::parse("turn-1f-down-lock-0000000042"));

    const ticket_name open{.incarnation = 1, .is_protected = false, .kind = ticket_kind::shared};
    CHECK(open.str() == "open-1-read-lock-0000000000");
}

TEST_CASE("beside Curator's read-write locks a ticket name has their marks") {
    const auto naming = ticket_naming::curator;
    const ticket_name writer{.incarnation = 0x1f, .sequence = 42, .naming = naming};
    CHECK(writer.prefix() == "turn-1f-__WRIT__");
    CHECK(writer.str() == "turn-1f-__WRIT__0000000042");
    CHECK_FALSE(writer.may_be_downgraded());

    const ticket_name reader{
        .incarnation = 1, .is_protected = false, .kind = ticket_kind::shared, .naming = naming};
    CHECK(reader.str() == "open-1-__READ__0000000000");
}

TEST_CASE("a sequence past the counter's end is written as the server does") {
    const auto text_of = [](std::int32_t sequence) {
        return ticket_name{.incarnation = 1, .sequence = sequence}.str();
    };
    CHECK(text_of(-7) == "turn-1-lock--000000007");
    CHECK(text_of(-highest) == "turn-1-lock--2147483647");
    CHECK(text_of(-highest - 1) == "turn-1-lock--2147483648");
}

TEST_CASE("every ticket name reads back as itself") {
    const auto guarded = GENERATE(true, false);
    const auto kind = GENERATE(ticket_kind::exclusive, ticket_kind::shared);
    const std::int64_t incarnation =
        GENERATE(as<std::int64_t>{}, 0, 1, 0x10000086e, std::numeric_limits<std::int64_t>::max(),
                 -1, std::numeric_limits<std::int64_t>::min());
    const std::int32_t sequence =
        GENERATE(as<std::int32_t>{}, 0, 1, 999999999, 1000000000, highest - 1, highest);
    const auto naming = GENERATE(ticket_naming::lock, ticket_naming::curator);
    const ticket_name name{incarnation, sequence, guarded, kind, false, naming};
    const auto text = name.str();
    CAPTURE(text);
    CHECK(text == name.prefix() + text.substr(text.size() - 10));
    CHECK(name.under("/a/b") == "/a/b/" + text);
    CHECK(name.prefix_under("/a/b") == "/a/b/" + name.prefix());
    const auto parsed = ticket_name::parse(text);
    REQUIRE(parsed);
    CHECK(*parsed == name);
    CHECK(parsed->str() == text);
}

TEST_CASE("names that are not ours, or not whole, are no ticket names") {
    const auto name = GENERATE(
        as<std::string>{}, "", "turn", "turn-", "turn-5", "turn-5-lock-", "0000000001",
        "lock-0000000001", "turn--lock-0000000001", "turn-lock-0000000001",
        "turn-x-lock-0000000001", "Turn-5-lock-0000000001", "turn_5_lock_0000000001",
        "turn-5-lock0000000001", "turn-5-Lock-0000000001", "turn-5-write-lock-0000000001",
        "turn-5-read-lock-x-0000000001", "turn-5-lock-lock-0000000001", "turn-5 -lock-0000000001",
        "turn-0x5-lock-0000000001", "turn-+5-lock-0000000001", "turn--5-lock-0000000001",
        "open--read-lock-0000000001", "opened-5-lock-0000000001", " turn-5-lock-0000000001",
        "turn-5-lock-0000000001 ", "_c_0a-turn-5-lock-0000000001",
        "turn-10000000000000000-lock-0000000001", "turn-1A-lock-0000000001",
        "turn-05-lock-0000000001", "turn-5__WRIT__0000000001", "turn-5-__WRIT_0000000001",
        "turn-5-__lock__0000000001", "turn-5-read-__READ__0000000001",
        "turn-5-down-__READ__0000000001", "_c_5-__WRIT__0000000001");
    CAPTURE(name);
    CHECK_FALSE(ticket_name::parse(name));
}

TEST_CASE("what the server appended is read off a path, also past its counter's end") {
    CHECK(appended_sequence("/a/turn-5-lock-0000000000") == 0);
    CHECK(appended_sequence("/a/turn-5-lock-0000000123") == 123);
    CHECK(appended_sequence("/a/turn-5-__WRIT__2147483647") == highest);
    CHECK(appended_sequence("/a/turn-5-lock--000000007") == -7);
    CHECK(appended_sequence("/a/turn-5-lock--2147483648") == -highest - 1);
    CHECK(appended_sequence("/a/turn-5-__READ__-2147483647") == -highest);
    for (const auto* const none :
         {"", "/a", "/a/turn-5-lock-", "/a/turn-5-lock--", "/a/turn-5-lock-2147483648",
          "/a/turn-5-lock-99999999999999999999999", "/a/turn-5-lock--2147483649"})
        CHECK(appended_sequence(none) == -1);
}

TEST_CASE("a ticket's path is written as the server writes it, also with a sign") {
    ticket_name name{.incarnation = 0x1f};
    for (const std::int32_t sequence : {0, 7, 1234567890, highest, -1, -999999999, -highest - 1}) {
        name.sequence = sequence;
        const auto text = name.under("/a/b");
        CHECK(text == "/a/b/" + name.str());
        CHECK(appended_sequence(text) == sequence);
        CHECK(text.size() >= 10 + std::string_view("/a/b/turn-1f-lock-").size());
    }
    CHECK(ticket_name{.incarnation = 1, .sequence = -7}.str() == "turn-1-lock--000000007");
    CHECK(ticket_name{.incarnation = -1, .kind = ticket_kind::shared}.str() ==
          "turn-ffffffffffffffff-read-lock-0000000000");
}
