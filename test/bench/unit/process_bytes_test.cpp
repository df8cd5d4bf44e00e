// SPDX-License-Identifier: BSL-1.0
#include "process_bytes.hpp"
#include "support/pch.hpp"

using namespace turnstile::bench;

TEST_CASE("socket bytes: the connections of one process are added up") {
    std::istringstream in(
        R"(ESTAB 0 0 127.0.0.1:46418 127.0.0.1:2181 users:(("java",pid=79,fd=4)) bbr rto:204 bytes_sent:20 bytes_acked:21 bytes_received:1000 segs_out:4
ESTAB 0 0 127.0.0.1:46419 127.0.0.1:2181 users:(("bench",pid=790,fd=4)) bbr rto:204 bytes_sent:7 bytes_acked:7 bytes_received:7
ESTAB 0 0 127.0.0.1:46420 127.0.0.1:2181 users:(("java",pid=79,fd=5)) bbr rto:204 bytes_received:3
)");
    const auto found = sum_process_bytes(in, 79);
    REQUIRE(found);
    CHECK(found->sent == 20);
    CHECK(found->received == 1003);
}

TEST_CASE("socket bytes: nothing is known of a process that is not there") {
    std::istringstream in(
        "ESTAB 0 0 127.0.0.1:1 127.0.0.1:2 users:((\"a\",pid=1,fd=4)) bytes_sent:1\n");
    CHECK_FALSE(sum_process_bytes(in, 79));
}
