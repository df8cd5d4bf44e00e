// SPDX-License-Identifier: BSL-1.0
// Which library made a ticket.
#pragma once

#include <turnstile/participant.hpp>

#include <string>

namespace turnstile::command {

/// A node that goes with no session is no ticket, whatever its name.
bool is_stray(const participant& who);

/// By the ticket's name: "Turnstile", "Curator", "Kazoo", "go-zookeeper", "ZooKeeper's recipe" or
/// "another program".
std::string program_of(const participant& who);

} // namespace turnstile::command
