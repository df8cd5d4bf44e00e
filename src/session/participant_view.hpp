// SPDX-License-Identifier: BSL-1.0
// From what a survey found to what users see of it.
#pragma once

#include "protocol/inspect/access_probe.hpp"
#include "protocol/inspect/line_survey.hpp"
#include "protocol/inspect/ticket_removal.hpp"

#include <turnstile/participant.hpp>
#include <turnstile/path_access.hpp>

#include <string>

namespace turnstile::detail {

/// Without the handles, which only the machine knows.
participant to_participant(protocol::line_member from);

path_access to_access(protocol::access_probe::result from);

/// Of one that was told.
protocol::ticket_removal removal_of(const std::string& path, const participant& who);

} // namespace turnstile::detail
