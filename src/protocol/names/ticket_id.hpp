// What a session calls a ticket inside the process.
#pragma once

#include <cstdint>

namespace turnstile::protocol {

using ticket_id = std::uint64_t;

} // namespace turnstile::protocol
