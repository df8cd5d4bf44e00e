// SPDX-License-Identifier: BSL-1.0
// Who in a line of sequential nodes comes first: what the strategies decide by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::bench {

/// The ten digits that the server appended to a node's name. Names of other kinds may stand in
/// front of them, so only these tell the order.
std::string_view sequence_of(std::string_view name);

/// Whether nobody stands before `own`.
bool is_first(const std::vector<std::string>& names, std::string_view own);

/// Who stands right before `own`; empty if nobody does.
std::string before(const std::vector<std::string>& names, std::string_view own);

inline constexpr std::string_view reader_prefix = "R-";
inline constexpr std::string_view writer_prefix = "W-";

/// Of a lock that is shared: a writer holds it if nobody stands before it, a reader if no writer
/// does.
bool may_share(const std::vector<std::string>& names, std::string_view own);

} // namespace turnstile::bench
