// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace turnstile::test {

/// All that is in the file; empty if there is no such file.
inline std::string file_text(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace turnstile::test
