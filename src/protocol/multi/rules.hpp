// The rules of several locks taken as one. A test build can break one of them, to show that a test
// finds it. docs/protocol/multi.md describes them.
#pragma once

#include "protocol/mutation.hpp"
#include "protocol/names/lock_key.hpp"

#include <cstddef>

namespace turnstile::protocol {

/// One function for each rule. None of them changes anything.
class multi_rules {
public:
    explicit multi_rules(mutation planted) : planted_(planted) {}

    /// Everybody takes locks in the order of their keys, however they name and order them.
    bool comes_before(const lock_key& left, std::size_t named, const lock_key& right,
                      std::size_t also_named) const {
        return planted_.is(mutant::multi_ordered_as_named) ? named < also_named : left < right;
    }
    /// Where one part fails, the others are let go.
    bool lets_go() const { return !planted_.is(mutant::multi_keeps_on_failure); }
    /// What one part has lost, all have lost.
    bool counts_loss() const { return !planted_.is(mutant::multi_loss_forgotten); }

private:
    [[no_unique_address]] mutation planted_;
};

} // namespace turnstile::protocol
