// From what a survey found to what users see of it.
#pragma once

#include "protocol/queue/line_survey.hpp"

#include <turnstile/participant.hpp>

namespace turnstile::detail {

/// Without the handles, which only the machine knows.
participant to_participant(protocol::line_member from);

} // namespace turnstile::detail
