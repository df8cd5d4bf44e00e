// SPDX-License-Identifier: BSL-1.0
// The rules of several locks taken as one. A test build can break one of them, to show that a test
// finds it. docs/internals/protocol/multi.md describes them.
#pragma once

#include "protocol/mutation.hpp"
#include "protocol/names/lock_key.hpp"

#include <cstddef>

namespace turnstile::protocol {

/// One function for each rule. None of them changes anything.
class multi_rules {
public:
    multi_rules(mutation planted = {}) : planted_(planted) {}

    /// Everybody takes locks in the order of their keys, however they name and order them.
    bool comes_before(const lock_key& left, std::size_t named, const lock_key& right,
                      std::size_t also_named) const {
        return planted_.is(mutant::multi_ordered_as_named) ? named < also_named : left < right;
    }
    /// A lock that is named twice is refused: its second part would wait for the first.
    bool are_one(const lock_key& left, const lock_key& right) const {
        return left == right && !planted_.is(mutant::equal_parts_acquired);
    }
    /// What is held behind a part that is missing is let go: whoever has that one may wait for it.
    bool lets_go_behind_missing() const { return !planted_.is(mutant::held_behind_missing_kept); }
    /// Where one part fails, the others are let go.
    bool lets_go() const { return !planted_.is(mutant::multi_keeps_on_failure); }
    /// What one part has lost, all have lost.
    bool counts_loss() const { return !planted_.is(mutant::multi_loss_forgotten); }

private:
    [[no_unique_address]] mutation planted_;
};

} // namespace turnstile::protocol
