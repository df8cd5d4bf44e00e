// SPDX-License-Identifier: BSL-1.0
// Replies as a server gives them, for unit tests of the session machine, which have no server. Most
// tests stand in line at the lock path /l, whose incarnation is 5.
#pragma once

#include "protocol/wire/message.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

inline constexpr std::int64_t our_session = 0x101;
inline constexpr std::int64_t other_session = 0x202;

/// The ten digits at the end of a sequential node's name.
inline std::string digits(std::int32_t sequence) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%010d", sequence);
    return text.data();
}

/// "/l/turn-5-lock-<sequence>": an exclusive ticket.
inline std::string ticket_path(std::int32_t sequence) {
    return "/l/turn-5-lock-" + digits(sequence);
}
inline std::string reader_path(std::int32_t sequence) {
    return "/l/turn-5-read-lock-" + digits(sequence);
}
/// A writer that became a reader.
inline std::string downgraded_path(std::int32_t sequence) {
    return "/l/turn-5-down-read-lock-" + digits(sequence);
}

namespace replies {

inline protocol::reply code(protocol::zookeeper_code what) { return {.code = what}; }
inline protocol::reply ok() { return {}; }
inline protocol::reply no_node() { return code(protocol::zookeeper_code::no_node); }
inline protocol::reply no_auth() { return code(protocol::zookeeper_code::no_auth); }
inline protocol::reply node_exists() { return code(protocol::zookeeper_code::node_exists); }

// What each of these is the reply to:

/// A transaction of `steps` steps, of which this one finds no node.
inline protocol::reply failed_at(std::size_t step, std::size_t steps) {
    auto answer = no_node();
    answer.results.resize(steps);
    answer.results[step].code = protocol::zookeeper_code::no_node;
    for (auto behind = step + 1; behind < steps; ++behind)
        answer.results[behind].code = protocol::zookeeper_code::runtime_inconsistency;
    return answer;
}
/// A create of a container.
inline protocol::reply made(std::int64_t czxid) { return {.stat = {.czxid = czxid}}; }
/// An exists of a lock path.
inline protocol::reply folder(std::int64_t czxid) { return {.stat = {.czxid = czxid}}; }
/// An enqueue, which made the ticket at `path` with that czxid, beside so many others.
inline protocol::reply placed(std::string path, std::int64_t czxid, std::int32_t others,
                              std::int64_t incarnation = 5) {
    return {.path = std::move(path),
            .stat = {.czxid = incarnation, .mzxid = czxid, .children = others}};
}
/// A get of a node.
inline protocol::reply node(std::int64_t czxid, std::int64_t owner, std::string data = {}) {
    return {.stat = {.czxid = czxid, .ephemeral_owner = owner}, .data = std::move(data)};
}
/// A listing; the names stand without their path.
inline protocol::reply listing(std::vector<std::string> children, std::int64_t czxid = 5) {
    const auto count = static_cast<std::int32_t>(children.size());
    return {.stat = {.czxid = czxid, .children = count}, .children = std::move(children)};
}

} // namespace replies

} // namespace turnstile::test
