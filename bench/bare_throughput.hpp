// SPDX-License-Identifier: BSL-1.0
// The bare client's part in `throughput`.
#pragma once

#include "bare_client.hpp"
#include "bare_transaction.hpp"
#include "target.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace turnstile::bench {

/// The transactions that Turnstile sends to take and to release a mutex, of many directories, with
/// so many under way at once.
class bare_throughput {
public:
    bare_throughput(const target& server, const bare_api& through, std::size_t locks,
                    std::size_t inflight);

    /// How many pairs a second.
    double create_and_delete(std::size_t pairs);

private:
    /// What goes round some of the directories, one after the other.
    struct rounds {
        std::size_t first = 0;
        std::size_t at = 0;
        bare_transaction take{};
        bare_transaction release{};
    };
    bare_transaction* take_next(rounds& of);
    bare_transaction* go_on(rounds& of, const bare_transaction& answered);

    std::string directory(std::size_t lock) const;

    bare_client client_;
    const std::size_t locks_;
    const std::size_t inflight_;
    std::deque<rounds> all_;
    std::size_t left_ = 0;
};

} // namespace turnstile::bench
