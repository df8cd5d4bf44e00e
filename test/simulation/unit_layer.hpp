// The unit tests of the machines, as a layer that may find a planted bug.
#pragma once

#include "protocol/mutation.hpp"

namespace turnstile::test {

/// Runs turnstile-planted-unit-tests, which stands beside this program, with that bug.
bool unit_tests_pass(protocol::mutant planted);

} // namespace turnstile::test
