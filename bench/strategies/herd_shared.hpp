// SPDX-License-Identifier: BSL-1.0
// The same for readers and writers, taken to write.
#pragma once

#include "children_herd.hpp"
#include "line_order.hpp"

namespace turnstile::bench {

/// A line of writers shows what the herd costs at each hand-off. Readers behind one writer would
/// hold the lock together after one event.
class herd_shared : public children_herd {
public:
    static constexpr std::string_view name = "herd-shared";
    static constexpr std::string_view kind = "shared";

    using children_herd::children_herd;
    auto acquire() { return wait_in_herd(writer_prefix, &may_share); }
};

} // namespace turnstile::bench
