// SPDX-License-Identifier: BSL-1.0
// Boost.JSON is compiled here, once, so that nothing but Boost's headers is needed.
#include <boost/json/src.hpp>
