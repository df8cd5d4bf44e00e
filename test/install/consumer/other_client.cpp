// SPDX-License-Identifier: BSL-1.0
// Stands for another copy of the ZooKeeper C client in the same program, such as the multi-threaded
// one: the same names, and the program stops if the library ever calls one of them.
#include <cstdlib>

extern "C" {
int logLevel = 0;
void hash() { std::abort(); }
void zerror() { std::abort(); }
void zookeeper_init() { std::abort(); }
void zookeeper_close() { std::abort(); }
void zookeeper_interest() { std::abort(); }
void zookeeper_process() { std::abort(); }
void zoo_acreate2() { std::abort(); }
void zoo_amulti() { std::abort(); }
void zoo_set_debug_level() { std::abort(); }
void zoo_set_log_callback() { std::abort(); }
}
