// SPDX-License-Identifier: BSL-1.0
// turnstile drill: what is left of a lease while servers are away.
#include "command/support/fed_tool.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile::test;

namespace {

std::vector<std::string> drill(const std::string& path, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"drill", path});
    return options;
}

} // namespace

TEST_CASE("a drill without trouble ends with 0, and says what was left") {
    const auto path = fresh_path("drill");
    fed_tool one{drill(path, {"--for", "100ms"})};
    CHECK(one->exit_code() == 0);
    CHECK(one->output().find("\nheld: ") != std::string::npos);
    CHECK(one->output().find("at risk: 0; reconnects: 0;") != std::string::npos);
    CHECK(tickets(path).empty());
}

TEST_CASE("a drill tells of a connection that is lost, and of a new one") {
    frame_proxy proxy{shared_server().port()};
    fed_tool one{drill(fresh_path("drill"), {"--timeout", "40s"}), {.servers = proxy.address()}};
    one.await_word("holds ");
    proxy.set_outage(true);
    proxy.cut_all();
    one.await_word("no connection: ");
    proxy.set_outage(false);
    one.await_word("connected after ");
    one.end_input();
    CHECK(one->exit_code() == 0);
    CHECK(one->output().find("reconnects: 1;") != std::string::npos);
}

TEST_CASE("a drill whose lock is at risk ends with 1, though the danger is over") {
    frame_proxy proxy{shared_server().port()};
    fed_tool one{drill(fresh_path("drill"), {"--timeout", "12s"}), {.servers = proxy.address()}};
    one.await_word("holds ");
    proxy.set_black_hole(true);
    one.await_word("at risk: ");
    proxy.set_black_hole(false);
    proxy.cut_all();
    one.await_word("out of danger: ");
    one.end_input();
    CHECK(one->exit_code() == 1);
    CHECK(one->output().find("at risk: 1;") != std::string::npos);
}

TEST_CASE("a drill that loses its lock ends with 123, and one without a lock as run does") {
    const auto path = fresh_path("drill");
    fed_tool one{drill(path, {"--timeout", "2s"})};
    one.await_word("holds ");
    fed_tool other{drill(path, {"--no-wait"})};
    CHECK(other->exit_code() == 122);
    CHECK(other->output().empty());
    delete_tickets(path);
    CHECK(one->exit_code() == 123);
    CHECK(one->output().find("\nlost: 0.0 s of ") != std::string::npos);
}
