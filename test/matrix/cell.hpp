#pragma once

#include "aftermath.hpp"
#include "fault.hpp"
#include "step.hpp"
#include "subject.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::matrix {

/// One cell of the matrix: at this step, this fault, and then that.
struct cell {
    const subject* lock;
    const step* at;
    fault what;
    aftermath after;

    [[nodiscard]] std::string name() const; ///< "mutex/enqueue/cut-after/expiry"
    /// Why there can be no such case; empty if there can.
    [[nodiscard]] std::string_view obstacle() const;
    /// The session is ended at the server, since the unlucky one believes in nothing. Else by
    /// silence.
    [[nodiscard]] bool ends_at_server() const;
    /// No session has to end by silence, and nobody has to notice any. So it may take long.
    [[nodiscard]] bool is_timeless() const;
    /// An event or a ticket is gone, and the connection is whole: the line goes on within the
    /// session timeout.
    [[nodiscard]] bool is_of_event() const;
};

/// All of them, also those that cannot be. A lost event and a deleted ticket are for the steps of
/// an event alone, where the connection stays.
std::vector<cell> all_cells();

/// Those of one part of `of`, by lot, as the seed decides. Parts are counted from 1.
std::vector<cell> part_of(std::vector<cell> cells, std::size_t part, std::size_t of,
                          std::uint64_t seed);

} // namespace turnstile::matrix
