// SPDX-License-Identifier: BSL-1.0
// Which library made a ticket.
#pragma once

#include <turnstile/participant.hpp>

#include <string>

namespace turnstile::command {

/// Whether the node belongs to no session. Then it is no ticket, whatever its name.
bool is_stray(const participant& who);

/// Names the library by the ticket's name: "Turnstile", "Curator", "Kazoo", "go-zookeeper",
/// "ZooKeeper's recipe" or "another program".
std::string program_of(const participant& who);

} // namespace turnstile::command
