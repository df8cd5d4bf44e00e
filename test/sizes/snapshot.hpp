// SPDX-License-Identifier: BSL-1.0
// A server's snapshot, changed by hand while the server is down.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace turnstile::test {

/// Lets a node look as if it had had so many children: the next sequential one is named after that.
/// The newest snapshot in the folder has to know the node, and the server to run with
/// zookeeper.digest.enabled=false. Throws std::runtime_error.
void set_children_made(const std::filesystem::path& data_folder, const std::string& node,
                       std::int32_t count);

} // namespace turnstile::test
