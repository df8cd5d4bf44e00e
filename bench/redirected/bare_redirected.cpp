// SPDX-License-Identifier: BSL-1.0
// Becomes one object with a copy of the C client whose socket calls are bound to functions of
// socket_calls.cpp (cmake/embed_zookeeper.cmake).
#include "bare_api.hpp"
#include "redirected/collected_socket.hpp"

namespace turnstile::bench {

namespace {

int interest(zhandle_t* handle, int* fd, int* wanted, timeval* limit) {
    const int rc = zookeeper_interest(handle, fd, wanted, limit);
    collected_socket::of(*fd).flush();
    return rc;
}

// The C client takes one frame at a time, and the reactor would not tell of those that were read.
int process(zhandle_t* handle, int events) {
    int fd = -1;
    int wanted = 0;
    timeval limit{};
    int rc = zookeeper_process(handle, events);
    while (rc == ZOK && zookeeper_interest(handle, &fd, &wanted, &limit) == ZOK &&
           collected_socket::of(fd).has_input())
        rc = zookeeper_process(handle, ZOOKEEPER_READ);
    return rc;
}

int interest_in_pieces(zhandle_t* handle, int* fd, int* wanted, timeval* limit) {
    const int rc = zookeeper_interest(handle, fd, wanted, limit);
    collected_socket::of(*fd).pass_each_piece();
    return rc;
}

bare_api make_api(const char* strategy, decltype(bare_api::interest) by) {
    return {.strategy = strategy,
            .set_debug_level = zoo_set_debug_level,
            .init = zookeeper_init,
            .set_servers_resolution_delay = zoo_set_servers_resolution_delay,
            .close = zookeeper_close,
            .interest = by,
            .process = process,
            .acreate2 = zoo_acreate2,
            .aexists = zoo_aexists,
            .adelete = zoo_adelete,
            .awget = zoo_awget,
            .awget_children2 = zoo_awget_children2,
            .amulti = zoo_amulti};
}

} // namespace

const bare_api redirected_api = make_api("bare-client-redirected", interest);
const bare_api plain_by_tls_api = make_api("bare-client", interest_in_pieces);

} // namespace turnstile::bench
