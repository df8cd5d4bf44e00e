// SPDX-License-Identifier: BSL-1.0
#include "bare_api.hpp"

namespace turnstile::bench {

const bare_api plain_api{.strategy = "bare-client",
                         .set_debug_level = zoo_set_debug_level,
                         .init = zookeeper_init,
                         .set_servers_resolution_delay = zoo_set_servers_resolution_delay,
                         .close = zookeeper_close,
                         .interest = zookeeper_interest,
                         .process = zookeeper_process,
                         .acreate2 = zoo_acreate2,
                         .aexists = zoo_aexists,
                         .adelete = zoo_adelete,
                         .awget = zoo_awget,
                         .awget_children2 = zoo_awget_children2,
                         .amulti = zoo_amulti};

} // namespace turnstile::bench
