// SPDX-License-Identifier: BSL-1.0
// The error codes as such: messages, categories, conditions. No server is needed.
#include <turnstile/error.hpp>

#include "support/pch.hpp"

using namespace turnstile;

namespace {

constexpr int first_code = static_cast<int>(error::bad_path);
constexpr int last_code = static_cast<int>(error::held_too_long);

std::set<error> all_that_are(condition what) {
    std::set<error> found;
    for (int value = first_code; value <= last_code; ++value)
        if (error_code{static_cast<error>(value)} == what)
            found.insert(static_cast<error>(value));
    return found;
}

} // namespace

TEST_CASE("each error has a message of its own that says what to do") {
    std::set<std::string> messages;
    for (int value = first_code; value <= last_code; ++value) {
        const error_code code = static_cast<error>(value);
        INFO(value << ": " << code.message());
        CHECK(code.message().size() > 20);
        CHECK(code.message().find("unknown") == std::string::npos);
        CHECK(messages.insert(code.message()).second);
        CHECK(code.category() == turnstile_category());
        CHECK(code.value() == value);
        CHECK(code.failed());
    }
    CHECK(messages.size() == static_cast<std::size_t>(last_code));
    CHECK(error_code{last_code + 1, turnstile_category()}.message().find("unknown") !=
          std::string::npos); // the list above is complete
    CHECK_FALSE(error_code{0, turnstile_category()}.message().empty());
    CHECK_FALSE(error_code{-1, turnstile_category()}.message().empty());
}

TEST_CASE("conditions hold for the errors they are meant for") {
    CHECK(all_that_are(condition::lock_lost) ==
          std::set{error::lease_lost, error::session_expired, error::ticket_deleted,
                   error::session_closed, error::held_too_long});
    CHECK(all_that_are(condition::session_lost) ==
          std::set{error::session_expired, error::session_closed});
    CHECK(all_that_are(condition::timeout) ==
          std::set{error::connect_timeout, error::unreachable, error::timeout});
    CHECK(all_that_are(condition::retryable) == std::set{error::connect_timeout, error::unreachable,
                                                         error::session_full, error::would_block,
                                                         error::timeout, error::session_expired,
                                                         error::lease_lost, error::path_unstable});
}

TEST_CASE("each denial has a code of its own, and all are told by one condition") {
    CHECK(all_that_are(condition::denied) == std::set{error::create_denied, error::read_denied,
                                                      error::write_denied, error::release_denied,
                                                      error::auth_failed});
}

TEST_CASE("conditions hold for no success and no foreign code") {
    for (const auto what : {condition::lock_lost, condition::session_lost, condition::timeout,
                            condition::retryable, condition::denied}) {
        CHECK(error_code{} != what);
        CHECK(error_code{boost::asio::error::operation_aborted} != what);
        for (int value = first_code; value <= last_code; ++value)
            CHECK(error_code{value, boost::system::generic_category()} != what);
        CHECK_FALSE(make_error_condition(what).message().empty());
        CHECK(make_error_condition(what).category() == condition_category());
    }
}

TEST_CASE("the categories have names and know ZooKeeper's codes") {
    CHECK(std::string{turnstile_category().name()} == "turnstile");
    CHECK(std::string{zookeeper_category().name()} == "zookeeper");
    CHECK_FALSE(std::string{condition_category().name()}.empty());
    std::set<std::string> messages;
    for (const int value :
         {0, -1, -2, -4, -6, -7, -8, -101, -102, -103, -110, -111, -112, -114, -119}) {
        const error_code code{value, zookeeper_category()};
        CHECK(messages.insert(code.message()).second);
        CHECK_FALSE(code.message().empty());
    }
}
