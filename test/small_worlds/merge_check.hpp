// Checks that states with one digest go on in the same ways.
#pragma once

#include "small_world.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace turnstile::test {

/// What the explorer rests on: it goes on from one state of each digest only. So, of each past that
/// is met, all next states are compared with those of the first past that had its digest. They are
/// compared by their digests, so whatever differs later on shows where it first differs.
class merge_check {
public:
    struct result {
        std::uint64_t pasts = 0;
        std::uint64_t states = 0;
        std::uint64_t merges = 0; // pasts whose digest had been met
        std::uint64_t steps = 0;  // to a next state
        bool differs = false;
        bool complete = true;                 // all that was asked for was met
        std::vector<std::string> way{};       // to the first difference
        std::vector<std::string> other_way{}; // to the state with the same digest
    };

    /// `forgotten`: a part of the state that is left out of it, to see that this is found.
    explicit merge_check(const small_limits& limits, std::string_view forgotten = {});

    /// All pasts in which the faults fall as they were dealt, or until a difference.
    result exhaust(std::uint64_t most_pasts = ~std::uint64_t{0});
    /// The pasts of so many runs that choose at random.
    result walk(std::uint64_t runs, std::uint64_t seed);

private:
    using route = std::vector<std::uint8_t>; // the numbers of the choices made
    struct place {
        std::uint64_t state = 0;
        std::uint64_t next = 0;             // the digest of what can come next, in no order
        std::vector<std::uint64_t> pasts{}; // by choice; 0 where that broke something
    };
    struct first_past {
        std::uint64_t next;
        std::size_t deal;
        route way;
    };

    std::unique_ptr<small_world> reach(std::size_t deal, const route& way) const;
    place look(const route& way);
    bool agrees(const place& here, const route& way);
    std::vector<std::string> tell(std::size_t deal, const route& way) const;

    small_limits limits_;
    std::string_view forgotten_;
    std::vector<small_deal> deals_;
    std::size_t deal_ = 0;
    std::unordered_map<std::uint64_t, first_past> known_; // by state
    result found_;
};

} // namespace turnstile::test
