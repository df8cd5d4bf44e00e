// SPDX-License-Identifier: BSL-1.0
// A trap of ZooKeeper: when a session with too many bytes of ticket paths ends, the record of its
// end is larger than a server reads, and no server starts any more. So a session has a budget of
// bytes (session_options::ticket_bytes), and acquires beyond it wait in the process. Here it is
// 4096 bytes.
#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

namespace {

session_options small_budget() {
    auto options = impatient(shared_server().address());
    options.ticket_bytes = 4096;
    return options;
}

} // namespace

TEST_CASE("beyond the budget acquires wait in the process, and all are served in order") {
    const auto path = fresh_path("budget");
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, small_budget()};
    crowd users{{&s}, path, 200};
    users.line_up();
    f.run_until([&] { return users.served() == 1; });
    std::size_t most = 0;
    const auto at_server = [&] {
        std::size_t bytes = 0;
        for (const auto& name : eyes.children(path))
            bytes += path.size() + 1 + name.size() + 4; // the length of a path takes four
        most = std::max(most, bytes);
        return bytes;
    };
    f.run_until([&] { return at_server() > 2000; });
    users.release_when_granted();
    f.run_until([&] {
        at_server();
        return users.all_done();
    });
    CHECK(most <= 4096);
    CHECK(users.served() == 200);
    CHECK(users.book.in_order(users.in_line()));
    CHECK(users.book.violations() == journal::no_violations);
    await_children(f, eyes, path, 0);
}

TEST_CASE("the holder of one lock gets another although many wait for the first") {
    fixture f;
    session s{f.context, small_budget()};
    crowd first{{&s}, fresh_path("budget"), 200};
    first.line_up();
    f.run_until([&] { return first.served() == 1; });
    contender second{s, fresh_path("budget")};
    second.acquire();
    f.run_until([&] { return second.completed == 1; });
    CHECK(second.holds());
}
