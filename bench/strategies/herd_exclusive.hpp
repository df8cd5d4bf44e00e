// SPDX-License-Identifier: BSL-1.0
// The lock of many tutorials: whoever has the lowest node holds it, and all watch the whole line.
#pragma once

#include "children_herd.hpp"
#include "line_order.hpp"

namespace turnstile::bench {

class herd_exclusive : public children_herd {
public:
    static constexpr std::string_view name = "herd-exclusive";

    using children_herd::children_herd;
    auto acquire() { return wait_in_herd("lock-", &is_first); }
};

} // namespace turnstile::bench
