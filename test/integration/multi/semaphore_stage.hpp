// SPDX-License-Identifier: BSL-1.0
// Two sessions, and a semaphore that is taken together with other locks.
#pragma once

#include "integration/multi/multi_stage.hpp"
#include "integration/semaphore/semaphore_calls.hpp"

#include <cstddef>
#include <string>

namespace turnstile::test {

/// Two permits. `first` and `second` are older than the semaphore, and `third` is younger.
struct semaphore_stage : multi_stage {
    semaphore_stage() {
        REQUIRE(set_now(*this, our_rate, 2) == error_code{});
        create(third);
    }
    std::size_t permits() const { return children_of(rate + "/leases").size(); }
    std::size_t line() const { return children_of(rate + "/queue").size(); }
    /// A foreign client takes away all that is below a node, and the node.
    void remove_all(const std::string& node) const {
        for (const auto& child : children_of(node))
            remove_all(node + '/' + child);
        remove(node);
    }
    /// Nothing stays, and whoever comes next finds all of it free.
    void check_all_free() {
        for (auto* const each : {&our_rate, &their_rate}) {
            run_until([&] { return permits() == 0 && line() == 0; });
            CHECK(try_now(*this, *each, 2) == error_code{});
        }
        run_until([&] { return permits() == 0; });
        check_free();
        check_nothing_left(*this, here, third);
    }

    const std::string rate = fresh_path("multi");
    const std::string third = fresh_path("multi");
    semaphore our_rate{here, rate, 2};
    semaphore their_rate{there, rate}; // learns the limit from the server
    mutex our_third{here, third};
    mutex their_third{there, third};
};

} // namespace turnstile::test
