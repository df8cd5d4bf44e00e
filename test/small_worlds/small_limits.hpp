// How large a small world is, and what is settled before a search of it.
#pragma once

#include "protocol/mutation.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace turnstile::test {

enum class small_kind { line, single_node, semaphore, multi };

struct small_limits {
    std::size_t sessions = 3;
    std::size_t tickets = 4;
    std::size_t faults = 2;
    bool readers = false;    // every mix of readers and writers, not writers alone
    bool downgrades = false; // writers may become readers
    bool upgrades = false;   // readers may try to become writers
    small_kind kind = small_kind::line;
    std::uint32_t leases = 2;     // of a semaphore: acquires take one or two, in every mix
    bool makes_semaphore = false; // its nodes are not there at the start
    protocol::mutant planted = protocol::mutant::none;

    /// Of how many sorts tickets are: writers and readers; one lease or two; both locks as one, or
    /// one of them alone.
    std::uint8_t sorts() const {
        if (kind == small_kind::multi)
            return 3;
        return readers || (kind == small_kind::semaphore && leases > 1) ? 2 : 1;
    }
};

constexpr small_limits one_node_world(std::size_t sessions, std::size_t tickets,
                                      std::size_t faults) {
    return {.sessions = sessions,
            .tickets = tickets,
            .faults = faults,
            .kind = small_kind::single_node};
}

constexpr small_limits semaphore_world(std::size_t sessions, std::size_t tickets,
                                       std::size_t faults) {
    return {
        .sessions = sessions, .tickets = tickets, .faults = faults, .kind = small_kind::semaphore};
}

constexpr small_limits multi_world(std::size_t sessions, std::size_t tickets, std::size_t faults) {
    return {.sessions = sessions, .tickets = tickets, .faults = faults, .kind = small_kind::multi};
}

/// How many faults may befall a client.
struct small_faults {
    std::size_t here = 0;  // its connection is cut, one of its acquires cancelled
    std::size_t there = 0; // its session is ended by an operator
    bool any() const { return here + there > 0; }
};

/// What is settled before a search begins.
struct small_deal {
    std::vector<small_faults> faults; // of each client
    std::vector<std::uint8_t> sorts;  // of each ticket: below small_limits::sorts()
};

} // namespace turnstile::test
