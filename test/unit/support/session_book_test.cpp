// SPDX-License-Identifier: BSL-1.0
// What tests learn about sessions from the replies that open them.
#include "support/pch.hpp"
#include "support/session_book.hpp"

using turnstile::test::session_book;

namespace {

std::string opening_reply(char id_end, char password_fill) {
    std::string frame(4 + 4 + 4 + 8 + 4, '\0'); // length, version, timeout, id, length of password
    frame[12] = '\x10';
    frame[19] = id_end;
    frame[23] = 16;
    frame.append(16, password_fill);
    return frame;
}

} // namespace

TEST_CASE("a session book finds what it has seen, by the whole id") {
    session_book book;
    book.note(opening_reply('\1', 'a'));
    book.note(opening_reply('\2', 'b'));
    const auto found = book.find(0x1000000000000002);
    REQUIRE(found);
    CHECK(found->id == 0x1000000000000002);
    CHECK(found->password.front() == 'b');
    CHECK(found->password.back() == 'b');
    CHECK_FALSE(book.find(2));
}

TEST_CASE("a session book lists the newest first, and each session once") {
    session_book book;
    book.note(opening_reply('\1', 'a'));
    book.note(opening_reply('\2', 'b'));
    book.note(opening_reply('\1', 'a')); // it has reconnected
    const auto all = book.newest(5);
    REQUIRE(all.size() == 2);
    CHECK((all[0].id & 0xff) == 2);
    CHECK((all[1].id & 0xff) == 1);
    CHECK(book.newest(1).size() == 1);
    book.forget(all[0].id);
    REQUIRE(book.newest(5).size() == 1);
    CHECK((book.newest(5)[0].id & 0xff) == 1);
}
