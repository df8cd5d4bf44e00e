// SPDX-License-Identifier: BSL-1.0
// What is done with a reply.
#pragma once

#include <functional>

namespace turnstile::protocol {

struct reply;

using reply_handler = std::function<void(const reply&)>;

} // namespace turnstile::protocol
