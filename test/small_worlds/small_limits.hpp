// How large a small world is, and what is settled before a search of it.
#pragma once

#include "protocol/mutation.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace turnstile::test {

enum class small_kind { line, single_node, semaphore };

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

    /// Whether tickets are of two sorts: readers beside writers, two leases beside one.
    bool mixes() const { return readers || (kind == small_kind::semaphore && leases > 1); }
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

/// How many faults may befall a client.
struct small_faults {
    std::size_t here = 0;  // its connection is cut, one of its acquires cancelled
    std::size_t there = 0; // its session is ended by an operator
    bool any() const { return here + there > 0; }
};

/// What is settled before a search begins.
struct small_deal {
    std::vector<small_faults> faults; // of each client
    std::vector<bool> others;         // of each ticket: it reads, or takes two leases
};

} // namespace turnstile::test
