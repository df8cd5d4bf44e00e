#include "zookeeper/library_entry.hpp"

#include <zookeeper/zookeeper.h>

namespace turnstile::zookeeper {

namespace {

// Constant-initialised and trivially destroyed: usable by sessions of static lifetime.
constinit std::mutex library_mutex;

} // namespace

library_entry::library_entry(int log_level) : guard_(library_mutex) {
    zoo_set_debug_level(static_cast<ZooLogLevel>(log_level));
}

} // namespace turnstile::zookeeper
