// What the body of a reply must be made of.
#pragma once

#include <cstdint>
#include <string_view>

namespace turnstile::zookeeper {

/// One for each kind of request that a connection sends.
enum class reply_shape : std::uint8_t {
    nothing,
    path,
    stat,
    path_and_stat,
    data_and_stat,
    names_and_stat,
    enqueue,       // transactions: of a set and a create,
    release,       // of a set and a delete,
    downgrade,     // of a create and a delete,
    check,         // of one check,
    delete_holder, // and of a check and a delete
};

/// Whether the C client can read such a reply out of `body`. The C client asserts on a transaction
/// with a result too many, and takes what it could not read for a value.
bool fits(reply_shape shape, std::string_view body);

} // namespace turnstile::zookeeper
