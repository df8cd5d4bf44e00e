// SPDX-License-Identifier: BSL-1.0
#include "etcd_server.hpp"

#include "support/free_port.hpp"

#include <unistd.h>

namespace turnstile::bench {

namespace {

/// etcd before 3.5 cannot do without fsync. In memory, fsync costs next to nothing.
const char* folder_prefix() {
    return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm/turnstile-etcd-" : "turnstile-etcd-";
}

} // namespace

etcd_server::etcd_server() : folder_(folder_prefix()) {
    const auto ports = test::free_ports(2);
    address_ = "127.0.0.1:" + std::to_string(ports[0]);
    const auto clients = "http://" + address_;
    const auto members = "http://127.0.0.1:" + std::to_string(ports[1]);
    process_.emplace(test::child_process::options{
        .argv = {"/usr/bin/etcd", "--data-dir", (folder_.path() / "data").string(),
                 "--listen-client-urls", clients, "--advertise-client-urls", clients,
                 "--listen-peer-urls", members, "--initial-advertise-peer-urls", members,
                 "--initial-cluster", "default=" + members, "--logger", "zap", "--log-level",
                 "error"},
        .output_file = folder_.path() / "etcd.log"});
}

} // namespace turnstile::bench
