// SPDX-License-Identifier: BSL-1.0
// A library that is built without Cyrus SASL.
#include "zookeeper/sasl_exchange.hpp"

namespace turnstile::zookeeper {

std::string wrong_with(const sasl_options&) {
    return "this library was built without SASL (CMake's option TURNSTILE_SASL)";
}

std::shared_ptr<const sasl> make_sasl(const sasl_options&) { return nullptr; } // was refused before

} // namespace turnstile::zookeeper
