// SPDX-License-Identifier: BSL-1.0
// In place of cyrus_sasl.cpp, in a library that is built without Cyrus SASL.
#include "zookeeper/sasl_exchange.hpp"

namespace turnstile::zookeeper {

std::shared_ptr<const sasl> make_sasl(const sasl_options&, std::string& wrong) {
    wrong = "this library was built without SASL (CMake's option TURNSTILE_SASL)";
    return nullptr;
}

} // namespace turnstile::zookeeper
