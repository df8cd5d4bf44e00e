// SPDX-License-Identifier: BSL-1.0
// A small run against a real server, written down as a chaos run is.
#pragma once

#include <filesystem>

namespace turnstile::test {

/// Two sessions (worker-1 and worker-2) contend for two locks, by a proxy (proxy-1), and write to a
/// fenced store. A foreign client deletes a ticket of worker-1, on a third lock. Leaves history/
/// and server-1/transactions.txt in the folder.
void make_run(const std::filesystem::path& folder);

} // namespace turnstile::test
