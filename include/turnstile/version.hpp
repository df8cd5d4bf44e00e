// SPDX-License-Identifier: BSL-1.0
// The version of these headers, for the preprocessor.
#pragma once

#define TURNSTILE_VERSION_MAJOR 0
#define TURNSTILE_VERSION_MINOR 2
#define TURNSTILE_VERSION_PATCH 0

/// Major * 10000 + minor * 100 + patch.
#define TURNSTILE_VERSION                                                                          \
    (TURNSTILE_VERSION_MAJOR * 10000 + TURNSTILE_VERSION_MINOR * 100 + TURNSTILE_VERSION_PATCH)
