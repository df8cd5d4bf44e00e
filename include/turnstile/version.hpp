#pragma once

/// Major * 10000 + minor * 100 + patch.
#define TURNSTILE_VERSION 100
