// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/reply_shape.hpp"

#include "zookeeper/jute_reader.hpp"

#include <initializer_list>

namespace turnstile::zookeeper {

namespace {

// Stat of zookeeper.jute: six longs and five ints.
constexpr std::size_t stat_size = 6 * 8 + 5 * 4;

// Of zookeeper.h, as they stand in the results of a transaction.
constexpr std::int32_t create_type = 1;
constexpr std::int32_t delete_type = 2;
constexpr std::int32_t set_type = 5;
constexpr std::int32_t check_type = 13;
constexpr std::int32_t error_type = -1;

using types = std::initializer_list<std::int32_t>;

struct result_header {
    std::int32_t type = 0;
    bool done = false;
    std::int32_t error = 0;

    bool read_from(jute_reader& from) {
        const auto* const bytes = from.take_bytes(4 + 1 + 4);
        if (!bytes || bytes[4] > 1)
            return false;
        type = jute_reader::number_at(bytes);
        done = bytes[4] == 1;
        error = jute_reader::number_at(bytes + 5);
        return true;
    }
};

bool skip_result(jute_reader& from, std::int32_t type) {
    std::int32_t error = 0;
    switch (type) {
    case error_type:
        return from.read(error);
    case create_type:
        return from.skip_string();
    case set_type:
        return from.skip(stat_size);
    default:
        return true; // of a deletion or a check nothing is told
    }
}

bool skip_acl(jute_reader& from) {
    std::int32_t entries = 0;
    bool good = from.read(entries) && entries >= 0;
    for (std::int32_t i = 0; good && i < entries; ++i) // permissions, scheme and id
        good = from.skip(4) && from.skip_string() && from.skip_string();
    return good;
}

std::int32_t type_of(std::int32_t type) { return type; }
std::int32_t type_of(protocol::step_kind step) {
    switch (step) {
    case protocol::step_kind::check:
        return check_type;
    case protocol::step_kind::set:
        return set_type;
    case protocol::step_kind::remove:
        return delete_type;
    default:
        return create_type;
    }
}

template <class Operations>
bool fits_transaction(jute_reader from, const Operations& operations) {
    result_header next;
    for (const auto operation : operations)
        if (!next.read_from(from) || next.done ||
            (next.type != type_of(operation) && next.type != error_type) ||
            !skip_result(from, next.type))
            return false;
    return next.read_from(from) && next.done;
}

} // namespace

bool fits(const expected_reply& expected, std::string_view body) {
    jute_reader from(body);
    switch (expected.shape) {
    case reply_shape::nothing:
        return true;
    case reply_shape::path:
        return from.skip_string();
    case reply_shape::stat:
        return from.skip(stat_size);
    case reply_shape::path_and_stat:
        return from.skip_string() && from.skip(stat_size);
    case reply_shape::data_and_stat:
        return from.skip_buffer() && from.skip(stat_size);
    case reply_shape::names_and_stat:
        return from.skip_strings() && from.skip(stat_size);
    case reply_shape::acl_and_stat:
        return skip_acl(from) && from.skip(stat_size);
    case reply_shape::enqueue:
        return fits_transaction(from, types{set_type, create_type});
    case reply_shape::release:
        return fits_transaction(from, types{set_type, delete_type});
    case reply_shape::downgrade:
        return fits_transaction(from, types{create_type, delete_type});
    case reply_shape::check:
        return fits_transaction(from, types{check_type});
    case reply_shape::delete_holder:
        return fits_transaction(from, types{check_type, delete_type});
    case reply_shape::transaction:
        return fits_transaction(from, expected.steps);
    }
    return false;
}

} // namespace turnstile::zookeeper
