// SPDX-License-Identifier: BSL-1.0
#include <turnstile/options.hpp>

#include <string.h>

namespace turnstile {

identity::~identity() { explicit_bzero(secret.data(), secret.size()); }

} // namespace turnstile
