// SPDX-License-Identifier: BSL-1.0
// A reader's ticket is marked clear if no writer stands before it. A reader right behind a marked
// one needs no listing to know that it holds the lock. (Marks count only where others cannot write
// them.)
#include "protocol/names/ticket_data.hpp"
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string plain = "turnstile=1\nrequest=7\nhost=h\npid=1\n";
const std::string marked = plain + std::string(clear_mark);

// Reader 1 gets the ticket at 9, and asks for both kinds of ticket that may stand at 8. No writer
// does.
void come_ninth(machine_fixture& f, std::int32_t others = 8) {
    f.begin_shared_acquire();
    f.reader_enqueued(9, others);
    REQUIRE(f.open() == texts{"watch " + ticket_path(8), "get " + reader_path(8)});
    f.reply("watch " + ticket_path(8), replies::no_node());
    REQUIRE(f.events().empty());
}

} // namespace

TEST_CASE("a reader right behind a reader that is marked clear is granted without a listing") {
    machine_fixture f;
    come_ninth(f);
    f.reply("get " + reader_path(8), replies::node(108, other_session, marked));
    CHECK(f.events() == texts{"granted 1 token 109"});
    CHECK(f.open() == texts{"set " + reader_path(9)}); // marks its own ticket for the next one
    f.reply("set " + reader_path(9), replies::ok());
    CHECK(is_marked_clear(f.last_request.data));
    CHECK(request_of(f.last_request.data) == "0-1");
}

TEST_CASE("a mark is not believed where anybody could have made it") {
    auto options = machine_fixture::defaults();
    options.protects_tickets = false;
    machine_fixture f(options);
    f.begin_shared_acquire();
    f.reply("enqueue /l/open-5-read-lock-",
            replies::placed("/l/open-5-read-lock-0000000009", 109, 8));
    f.reply("watch /l/open-5-lock-0000000008", replies::no_node());
    f.reply("get /l/open-5-read-lock-0000000008", replies::node(108, other_session, marked));
    CHECK(f.open() == texts{"list /l"});
}
