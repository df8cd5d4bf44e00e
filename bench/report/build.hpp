// SPDX-License-Identifier: BSL-1.0
// What the binary was built from. CMake writes the definitions at each build.
#pragma once

#include <string_view>

namespace turnstile::bench {

extern const std::string_view built_from_commit; // "unknown" outside of a git clone
extern const std::string_view compiler;
extern const std::string_view build_type;
extern const std::string_view zookeeper_client_version;

} // namespace turnstile::bench
