// SPDX-License-Identifier: BSL-1.0
// The unit tests of the machines, as a layer that may find a planted bug.
#pragma once

#include "protocol/mutation.hpp"

namespace turnstile::test {

/// Runs turnstile-machine-tests, which stands in the folder above this program's.
class unit_layer {
public:
    /// Runs them without a bug: what fails then shows none.
    unit_layer();

    bool finds(protocol::mutant planted) const;

private:
    const bool pass_without_a_bug_;
};

} // namespace turnstile::test
