// SPDX-License-Identifier: BSL-1.0
// The C client, of which this program has two copies: as Debian ships it, and with its socket calls
// redirected.
#pragma once

#include <zookeeper/zookeeper.h>

#include <string>

namespace turnstile::bench {

/// The functions of one copy.
struct bare_api {
    const char* strategy; // of rows
    decltype(&zoo_set_debug_level) set_debug_level;
    decltype(&zookeeper_init) init;
    decltype(&zoo_set_servers_resolution_delay) set_servers_resolution_delay;
    decltype(&zookeeper_close) close;
    /// What was sent so far leaves at the latest here.
    decltype(&zookeeper_interest) interest;
    decltype(&zookeeper_process) process;
    decltype(&zoo_acreate2) acreate2;
    decltype(&zoo_aexists) aexists;
    decltype(&zoo_adelete) adelete;
    decltype(&zoo_awget) awget;
    decltype(&zoo_awget_children2) awget_children2;
    decltype(&zoo_amulti) amulti;
};

extern const bare_api plain_api;
/// As inside Turnstile: a request leaves in one write, one read takes all that has arrived, and
/// memory is kept for the next request.
extern const bare_api redirected_api;

/// From now on the second copy speaks TLS. The first cannot, so plain_by_tls_api takes its place.
void speak_tls(const std::string& authorities);
bool speaks_tls();
/// The second copy, with each of the C client's own pieces in a record of its own: as the C client
/// does it where it is built with OpenSSL.
extern const bare_api plain_by_tls_api;

} // namespace turnstile::bench
