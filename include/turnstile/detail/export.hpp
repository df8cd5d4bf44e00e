// SPDX-License-Identifier: BSL-1.0
// Marks what a shared library exports. All else is hidden in it.
#pragma once

#if defined(__GNUC__)
#define TURNSTILE_API __attribute__((visibility("default")))
#else
#define TURNSTILE_API
#endif
