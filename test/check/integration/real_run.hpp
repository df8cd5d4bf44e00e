// SPDX-License-Identifier: BSL-1.0
// A run of two processes' sessions against a real server and a fenced store, written down.
#pragma once

#include <filesystem>

namespace turnstile::test {

/// Leaves history/ and server-1/transactions.txt in the folder.
void make_run(const std::filesystem::path& folder);

} // namespace turnstile::test
