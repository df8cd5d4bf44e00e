// SPDX-License-Identifier: BSL-1.0
// The report's page as it lies in this folder. CMake embeds it, so that the program alone suffices.
#pragma once

#include <string_view>

namespace turnstile::bench {

extern const std::string_view page_html; // with {{name}} where something is filled in
extern const std::string_view page_style;
extern const std::string_view page_script;

} // namespace turnstile::bench
