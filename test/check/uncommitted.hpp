// SPDX-License-Identifier: BSL-1.0
// Transactions that are in the logs but never happened.
#pragma once

#include "transaction_log.hpp"

#include <vector>

namespace turnstile::check {

/// Takes transactions out of a log in the order of zxids: those that a leader proposed and the
/// ensemble did not keep. Returns them. They are in the leader's log. They may be in a follower's,
/// too: it still logs its queue after it has left for the next election (ZOOKEEPER-4712). So the
/// number of copies says nothing.
///
/// Later transactions show them, since each leader begins with all that was committed before its
/// epoch. A later epoch may create a node that exists, delete one that is gone, or hear a session
/// that has ended. Then the transaction of the earlier epoch that contradicts this was not kept,
/// and neither was any after it in that epoch. (Only the end of a session may be logged twice.)
std::vector<transaction> take_out_uncommitted(std::vector<transaction>& log);

} // namespace turnstile::check
