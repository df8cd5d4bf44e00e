// SPDX-License-Identifier: BSL-1.0
// Whether two servers said the same.
#pragma once

#include "step.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace turnstile::test {

/// Numbers of one side that stand for numbers of the other, one to one.
class pairing {
public:
    enum class order { any, kept };
    explicit pairing(order which) : order_(which) {}

    /// False: one of them stands for another number already, or comes earlier on one side and later
    /// on the other.
    bool agree(std::int64_t real, std::int64_t modelled);

private:
    const order order_;
    std::map<std::int64_t, std::int64_t> to_model_{{0, 0}};
    std::map<std::int64_t, std::int64_t> to_real_{{0, 0}};
};

/// Names, codes, data, children and counts are equal; sessions and transactions are paired: a
/// server numbers them by itself, and only their order says something.
class comparison {
public:
    /// After one step, of what one session heard. `cut_short`: it lost its connection from the
    /// other side, and may have missed the last words.
    bool same(std::vector<heard> real, std::vector<heard> modelled, bool cut_short);

private:
    bool same(const heard& real, const heard& modelled);
    bool same(const protocol::reply& real, const protocol::reply& modelled);
    bool same(const protocol::node_stat& real, const protocol::node_stat& modelled);
    bool same(const std::vector<protocol::step_result>& real,
              const std::vector<protocol::step_result>& modelled);

    pairing sessions_{pairing::order::any};
    pairing transactions_{pairing::order::kept};
};

} // namespace turnstile::test
