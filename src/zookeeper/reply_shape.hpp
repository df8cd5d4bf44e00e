// SPDX-License-Identifier: BSL-1.0
// What the body of a reply must be made of.
#pragma once

#include "protocol/wire/message.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace turnstile::zookeeper {

/// One for each kind of request that a connection sends.
enum class reply_shape : std::uint8_t {
    nothing,
    path,
    stat,
    path_and_stat,
    data_and_stat,
    names_and_stat,
    acl_and_stat,
    enqueue,       // transactions: of a set and a create,
    release,       // of a set and a delete,
    downgrade,     // of a create and a delete,
    check,         // of one check,
    delete_holder, // of a check and a delete,
    transaction,   // and of the steps that are listed beside it
};

/// A reply that is awaited.
struct expected_reply {
    reply_shape shape{};
    std::vector<protocol::step_kind> steps{}; // of a `transaction`
};

/// Whether the C client can read such a reply out of `body`. The C client asserts on a transaction
/// with a result too many, and takes what it could not read for a value.
bool fits(const expected_reply& expected, std::string_view body);

} // namespace turnstile::zookeeper
