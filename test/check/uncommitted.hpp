// SPDX-License-Identifier: BSL-1.0
// Transactions that stand in the logs and never happened.
#pragma once

#include "transaction_log.hpp"

#include <vector>

namespace turnstile::check {

/// Takes out, of transactions in the order of zxids, those that a leader proposed and that the
/// ensemble did not keep; returns them. They stand in its own log; and also in a follower's, which
/// logs what it still has in its queue after it has left for the next election (ZOOKEEPER-4712), so
/// counting copies does not tell.
///
/// They are known by what comes later: each leader begins with all that was committed before its
/// epoch. Where a later epoch creates a node that stands there, deletes one that is gone, or hears
/// a session that has ended, the transaction of the earlier epoch that says otherwise was not kept,
/// and neither was any after it in that epoch. (The mere end of a session may be logged twice.)
std::vector<transaction> take_out_uncommitted(std::vector<transaction>& log);

} // namespace turnstile::check
