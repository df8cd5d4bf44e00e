// SPDX-License-Identifier: BSL-1.0
#include "protocol/inspect/access_probe.hpp"

#include <algorithm>
#include <limits>

namespace turnstile::protocol {

namespace {

// No node reaches this version, and it does not mean "any".
constexpr auto impossible_version = std::numeric_limits<std::int32_t>::max();

std::string below(const std::string& node) {
    return (node == "/" ? "" : node) + "/turnstile-access-probe";
}

using right = path_access::right;

right right_of(const reply& answer, std::size_t step) {
    using enum path_access::right;
    if (step >= answer.results.size())
        return unknown;
    switch (answer.results[step].code) {
    case zookeeper_code::ok:
    case zookeeper_code::bad_version:
    case zookeeper_code::node_exists: // the server checks the right first
        return allowed;
    case zookeeper_code::no_auth:
        return denied;
    default:
        return unknown; // a step before it was refused
    }
}

} // namespace

request access_probe::question() const {
    if (now_ == step::reading)
        return {.op = operation::get, .path = found_.node};
    if (now_ == step::comparing)
        return {.op = operation::get_acl, .path = found_.node};
    const auto probe = below(found_.node);
    return {
        .op = operation::transact,
        .path = found_.node,
        .steps = {{.what = step_kind::create_ephemeral, .path = probe},
                  {.what = step_kind::remove, .path = probe},
                  {.what = step_kind::set, .path = found_.node, .version = impossible_version}}};
}

void access_probe::on_answer(const reply& answer) {
    if (outcome_unknown(answer.code))
        return; // asked again
    if (now_ == step::reading)
        return on_read(answer.code);
    if (answer.code == zookeeper_code::no_node)
        return go_up(); // it has left
    if (now_ == step::comparing) {
        found_.gives_more = answer.gives_more;
        now_ = step::creating;
        return;
    }
    on_refused(answer);
}

void access_probe::on_read(zookeeper_code code) {
    if (code == zookeeper_code::no_node)
        return go_up();
    if (code != zookeeper_code::ok && code != zookeeper_code::no_auth)
        return end(failure::server_error, code);
    if (found_.exists)
        found_.read = code == zookeeper_code::ok ? right::allowed : right::denied;
    now_ = compares_ && found_.read == right::allowed ? step::comparing : step::creating;
}

// Of a node above, WRITE and DELETE do not count: the session makes what is below it itself.
void access_probe::on_refused(const reply& answer) {
    const bool known = answer.code == zookeeper_code::no_auth ||
                       answer.code == zookeeper_code::bad_version ||
                       answer.code == zookeeper_code::node_exists;
    if (!known)
        return end(failure::server_error, answer.code);
    found_.create = right_of(answer, 0);
    if (found_.exists) {
        found_.remove = right_of(answer, 1);
        found_.write = right_of(answer, 2);
    }
    end(failure::none);
}

void access_probe::go_up() {
    if (found_.node == "/") // the chroot itself
        return end(failure::no_chroot, zookeeper_code::no_node);
    const auto slash = found_.node.rfind('/');
    found_ = {.node = found_.node.substr(0, std::max<std::size_t>(slash, 1))};
    now_ = step::reading;
}

} // namespace turnstile::protocol
