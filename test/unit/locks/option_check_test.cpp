// SPDX-License-Identifier: BSL-1.0
// A bad option is refused by a code whose message says which, what it is and what it may be.
#include "locks/option_check.hpp"

#include "support/pch.hpp"

#include <boost/system/system_error.hpp>

#include <functional>
#include <limits>
#include <string>

using namespace turnstile;
using namespace turnstile::detail;
using namespace std::chrono_literals;

namespace {

using change = std::function<void(session_options&)>;

error_code check_with(const change& make) {
    session_options options;
    make(options);
    return check_options(options);
}

void refuses(const std::string& message, const change& make) {
    const auto code = check_with(make);
    CHECK(code == error::bad_options);
    CHECK(code != error::bad_servers);
    CHECK(code.message().substr(0, message.size()) == message);
    CHECK(code.message().size() > message.size()); // what it is for
}

} // namespace

TEST_CASE("so many leases at once are refused as one request cannot make") {
    session_options options;
    CHECK(check_leases(options, "/locks/a", 1000) == error_code());
    CHECK(check_leases(options, "/locks/a", 1001) == error::request_too_large);
    options.label = std::string(2000, 'a');
    CHECK(check_leases(options, "/locks/a", 1000) == error::request_too_large);
    CHECK(check_leases(options, "/locks/a", 300) == error_code());
}

TEST_CASE("a bad option is named, with its value and its range") {
    refuses("timeout = 0 ms is out of range 200 ms to 3600000 ms: ",
            [](auto& o) { o.timeout = 0ms; });
    refuses("timeout = 3600001 ms is out of range 200 ms to 3600000 ms: ",
            [](auto& o) { o.timeout = 1h + 1ms; });
    refuses("connect_timeout = -1 ms is out of range, at least 1 ms: ",
            [](auto& o) { o.connect_timeout = -1ms; });
    refuses("unreachable_limit = 0 ms is out of range, at least 1 ms: ",
            [](auto& o) { o.unreachable_limit = 0ms; });
    refuses("shortest_backoff = 0 ms is out of range, at least 1 ms: ",
            [](auto& o) { o.shortest_backoff = 0ms; });
    refuses("longest_backoff = 49 ms is out of range, at least 50 ms: ",
            [](auto& o) { o.longest_backoff = 49ms; });
    refuses("tick = 0 ms is out of range, at least 1 ms: ", [](auto& o) { o.tick = 0ms; });
    refuses("margin = 3750 ms is out of range 0 ms to 3749 ms: ",
            [](auto& o) { o.margin = o.timeout / 4; });
    refuses("ticket_bytes = 1900000 is out of range 4096 to 1048576: ",
            [](auto& o) { o.ticket_bytes = 1'900'000; });
    refuses("ticket_bytes = 4095 is out of range 4096 to 1048576: ",
            [](auto& o) { o.ticket_bytes = 4095; });
    refuses("identities[1].scheme = \"\" is out of range: ", [](auto& o) {
        o.identities = {{"digest", "a:b"}, {"", "nobody"}};
    });
}

TEST_CASE("options at the ends of their ranges are taken") {
    CHECK_FALSE(check_with([](auto&) {}));
    CHECK_FALSE(check_with([](auto& o) { o.timeout = 200ms; }));
    CHECK_FALSE(check_with([](auto& o) { o.timeout = 1h; }));
    CHECK_FALSE(check_with([](auto& o) { o.margin = o.timeout / 4 - 1ms; }));
    CHECK_FALSE(check_with([](auto& o) { o.margin = 0ms; }));
    CHECK_FALSE(check_with([](auto& o) { o.ticket_bytes = 4096; }));
    CHECK_FALSE(check_with([](auto& o) { o.ticket_bytes = 1024 * 1024; }));
    CHECK_FALSE(check_with([](auto& o) { o.longest_backoff = o.shortest_backoff; }));
    CHECK_FALSE(check_with([](auto& o) {
        constexpr auto longest = std::chrono::milliseconds::max();
        o.connect_timeout = o.unreachable_limit = o.longest_backoff = o.tick = longest;
    }));
}

TEST_CASE("the code is one of Turnstile's category in every comparison") {
    const auto code = check_with([](auto& o) { o.tick = 0ms; });
    CHECK(code.category() == turnstile_category());
    CHECK(code == make_error_code(error::bad_options));
    CHECK(make_error_code(error::bad_options) == code);
    CHECK(code != condition::retryable);
    CHECK(code != condition::denied);
    CHECK(code.value() == static_cast<int>(error::bad_options));
    CHECK(std::string(code.category().name()) == "turnstile");
    CHECK(code.category().message(static_cast<int>(error::bad_path)) ==
          make_error_code(error::bad_path).message());
}

TEST_CASE("a program that tries out options keeps no more than some texts of them") {
    for (int i = 0; i < 1000; ++i) {
        const auto code = check_with([i](auto& o) { o.tick = std::chrono::milliseconds{-i}; });
        REQUIRE(code == error::bad_options);
    }
    const auto code = check_with([](auto& o) { o.tick = -1000s; });
    CHECK(code.message() == make_error_code(error::bad_options).message());
}
