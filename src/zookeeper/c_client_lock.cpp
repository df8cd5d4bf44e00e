// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/c_client_lock.hpp"

#include <zookeeper/zookeeper.h>

namespace turnstile::zookeeper {

namespace {

// Constant-initialised and trivially destroyed: usable by sessions of static lifetime.
constinit std::mutex c_client_mutex;
constinit int level_in_force = -1; // unknown

} // namespace

c_client_lock::c_client_lock(int log_level) : guard_(c_client_mutex) {
    if (level_in_force != log_level)
        zoo_set_debug_level(static_cast<ZooLogLevel>(log_level));
    level_in_force = log_level;
}

} // namespace turnstile::zookeeper
