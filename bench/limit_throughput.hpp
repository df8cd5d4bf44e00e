// The bare client's part in `throughput`.
#pragma once

#include "limit_client.hpp"
#include "limit_transaction.hpp"
#include "target.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace turnstile::bench {

/// The transactions that Turnstile sends to take and to release a mutex, of many directories, with
/// so many under way at once.
class limit_throughput {
public:
    limit_throughput(const target& server, const limit_api& through, std::size_t locks,
                     std::size_t inflight);

    /// How many pairs a second.
    double create_and_delete(std::size_t pairs);

private:
    /// What goes round some of the directories, one after the other.
    struct rounds {
        std::size_t first = 0;
        std::size_t at = 0;
        limit_transaction take{};
        limit_transaction release{};
    };
    limit_transaction* take_next(rounds& of);
    limit_transaction* go_on(rounds& of, const limit_transaction& answered);

    std::string directory(std::size_t lock) const;

    limit_client client_;
    const std::size_t locks_;
    const std::size_t inflight_;
    std::deque<rounds> all_;
    std::size_t left_ = 0;
};

} // namespace turnstile::bench
