// From the protocol's failures to error codes: none but success reads as success.
#include "support/names.hpp"

#include "locks/failure_codes.hpp"

#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::protocol;

TEST_CASE("no failure reads as a success, whatever the code beside it") {
    CHECK_FALSE(detail::to_error_code(failure::none).failed());
    for (int value = 1; value <= static_cast<int>(failure::server_error); ++value) {
        const auto why = static_cast<failure>(value);
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
