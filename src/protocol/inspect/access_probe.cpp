// SPDX-License-Identifier: BSL-1.0
#include "protocol/inspect/access_probe.hpp"

#include <algorithm>
#include <limits>

namespace turnstile::protocol {

namespace {

// No node reaches this version, and it does not mean "any".
constexpr auto impossible_version = std::numeric_limits<std::int32_t>::max();

// The node that the transaction creates and deletes.
std::string probe_below(const std::string& node) {
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
    if (step_ == step::reading)
        return {.op = operation::get, .path = access_.node};
    if (step_ == step::comparing)
        return {.op = operation::get_acl, .path = access_.node};
    const auto probe = probe_below(access_.node);
    return {
        .op = operation::transact,
        .path = access_.node,
        .steps = {{.what = step_kind::create_ephemeral, .path = probe},
                  {.what = step_kind::remove, .path = probe},
                  {.what = step_kind::set, .path = access_.node, .version = impossible_version}}};
}

void access_probe::on_answer(const reply& answer) {
    if (outcome_unknown(answer.code))
        return; // this step is asked again
    if (step_ == step::reading)
        return on_read(answer.code);
    if (answer.code == zookeeper_code::no_node)
        return go_up(); // the node has gone since it was read
    if (step_ == step::comparing) {
        access_.gives_more = answer.gives_more;
        step_ = step::creating;
        return;
    }
    on_refused(answer);
}

void access_probe::on_read(zookeeper_code code) {
    if (code == zookeeper_code::no_node)
        return go_up();
    if (code != zookeeper_code::ok && code != zookeeper_code::no_auth)
        return end(failure::server_error, code);
    if (access_.exists)
        access_.read = code == zookeeper_code::ok ? right::allowed : right::denied;
    step_ = compares_acls_ && access_.read == right::allowed ? step::comparing : step::creating;
}

// Of a node above, WRITE and DELETE do not count: the session makes the nodes below it itself.
void access_probe::on_refused(const reply& answer) {
    const bool is_refusal = answer.code == zookeeper_code::no_auth ||
                            answer.code == zookeeper_code::bad_version ||
                            answer.code == zookeeper_code::node_exists;
    if (!is_refusal)
        return end(failure::server_error, answer.code);
    access_.create = right_of(answer, 0);
    if (access_.exists) {
        access_.remove = right_of(answer, 1);
        access_.write = right_of(answer, 2);
    }
    end(failure::none);
}

void access_probe::go_up() {
    if (access_.node == "/") // the chroot itself
        return end(failure::no_chroot, zookeeper_code::no_node);
    const auto slash = access_.node.rfind('/');
    access_ = {.node = access_.node.substr(0, std::max<std::size_t>(slash, 1))};
    step_ = step::reading;
}

} // namespace turnstile::protocol
