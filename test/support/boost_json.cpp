// SPDX-License-Identifier: BSL-1.0
// Compiles Boost.JSON into the tests' support library, so that Boost's headers are enough.
#include <boost/json/src.hpp>
