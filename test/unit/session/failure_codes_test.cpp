// SPDX-License-Identifier: BSL-1.0
// From the protocol's failures to error codes: none but success reads as success.
#include "support/names.hpp"

#include "session/values/failure_codes.hpp"

#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::protocol;

TEST_CASE("no failure reads as a success, whatever the code beside it") {
    CHECK_FALSE(detail::to_error_code(failure::none).failed());
    for (int value = static_cast<int>(failure::server_error);
         value <= static_cast<int>(error::held_too_long); ++value) {
        if (value == 0)
            continue;
        const failure why = static_cast<error>(value);
        INFO(test::name_of(why));
        CHECK(detail::to_error_code(why).failed());
        CHECK(detail::to_error_code(why, zookeeper_code::ok).failed());
    }
}

TEST_CASE("what the server said otherwise comes as ZooKeeper's code") {
    for (const auto code : {zookeeper_code::throttled, zookeeper_code::unimplemented,
                            zookeeper_code::marshalling_error, zookeeper_code::bad_arguments}) {
        const auto told = detail::to_error_code(failure::server_error, code);
        CHECK(told.value() == static_cast<int>(code));
        CHECK(told.category() == zookeeper_category());
        CHECK(told.failed());
    }
}

TEST_CASE("each code that a server or the C client can give has words of its own") {
    std::set<std::string> words;
    const std::set<int> codes{-1,   -2,   -3,   -4,   -5,   -6,   -7,   -8,   -9,   -13,  -14,
                              -15,  -101, -102, -103, -108, -110, -111, -112, -113, -114, -115,
                              -116, -117, -118, -119, -120, -121, -122, -123, -124, -125, -127};
    for (const int each : codes) {
        const auto text = error_code(each, zookeeper_category()).message();
        CAPTURE(each, text);
        CHECK(text.find("zookeeper error") == std::string::npos);
        words.insert(text);
    }
    CHECK(words.size() == codes.size());
    const auto message = [](int code) { return error_code(code, zookeeper_category()).message(); };
    CHECK(message(-125).find("quota") != std::string::npos);
    CHECK(message(-120).find("localSessionsUpgradingEnabled") != std::string::npos);
    CHECK(message(-108).find("ephemeral") != std::string::npos);
    CHECK(message(-126).starts_with("zookeeper error -126"));
}
