// What every input of a session machine begins and ends with.
#pragma once

#include "protocol/session/session_machine.hpp"

namespace turnstile::protocol {

/// What throws leaves the machine fit for nothing but its end.
template <class Work>
void session_machine::take_input(instant now, Work work) {
    begin_input(now);
    work();
    end_input();
}

} // namespace turnstile::protocol
