// SPDX-License-Identifier: BSL-1.0
#include "support/pch.hpp"
#include "tool_output.hpp"

using namespace turnstile::bench;

TEST_CASE("tool output: callgrind's sum, and the calls of malloc by whatever file and line") {
    std::istringstream in(R"(# callgrind format
events: Ir
summary: 1234

ob=(9) /usr/bin/program
fl=(1) ???
fn=(10) work()
0 68
cob=(3) /usr/lib/libc.so.6
cfi=(4) ???
cfn=(12) malloc
calls=3 0 
0 300
cfn=(14) malloc_consolidate
calls=100 0 
0 5
cfn=(12)
calls=4 0 
0 400

fn=(12)
0 500
cfn=(14)
calls=50 0 
0 2

fn=(16) calloc
0 5

fn=(18) other()
cfn=(16)
calls=2 0 
0 9

totals: 1234
)");
    const auto counts = read_callgrind(in);
    CHECK(counts.instructions == 1234);
    CHECK(counts.allocations == 9);
}

TEST_CASE("tool output: strace's table, with and without errors") {
    std::istringstream in(R"(% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 27.76    0.019186           1     10005           setsockopt
 24.38    0.016851           1     15023      5008 recvfrom
------ ----------- ----------- --------- --------- ----------------
100.00    0.069122           1     25028      5008 total
)");
    CHECK(read_strace(in) ==
          std::map<std::string, double>{{"setsockopt", 10'005}, {"recvfrom", 15'023}});
}

TEST_CASE("tool output: a file that holds nothing is an error") {
    std::istringstream empty;
    CHECK_THROWS_WITH(read_callgrind(empty), Catch::Contains("callgrind"));
    std::istringstream message("strace: ptrace(PTRACE_SEIZE): Operation not permitted\n");
    CHECK_THROWS_WITH(read_strace(message), Catch::Contains("strace"));
}
