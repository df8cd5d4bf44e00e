// SPDX-License-Identifier: BSL-1.0
// The main() of every test program. Kept alone: Catch2's implementation takes longer to compile
// than most tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
