// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "step.hpp"

#include "promises/lock_kind.hpp"
#include "support/lock_user.hpp"
#include "support/pch.hpp"

#include <turnstile/session.hpp>

#include <span>

namespace turnstile::matrix {

/// A kind of lock that goes through the matrix.
struct subject {
    std::string_view name;
    promises::lock_kind kind; ///< who may hold it together, and what its tokens tell
    /// A lock object on a session, as what starts its acquires. `side` is a second session, or the
    /// same one.
    std::function<test::lock_user::acquirer(session& own, session& side, const std::string& path,
                                            role)>
        open;
    std::span<const step> steps;
    /// Below the lock path: where the nodes are of those who wait or hold.
    std::vector<std::string> folders = {""};
    /// Where the ticket of a waiter may be; none if all it has is a watch.
    std::vector<std::string> lines = {""};
    /// With this a waiter has looked whom it waits for.
    frame_pattern looked = {test::direction::to_client, test::op::get_data,
                            frame_pattern::about::ticket};
    std::size_t nodes = 1; ///< of one who holds
    /// Of several locks as one: their paths below the lock path, made in this order by another
    /// hand.
    std::vector<std::string> parts = {};
    bool two_sessions = false; ///< the unlucky one has a second one, past the proxies
};

std::span<const subject> subjects();

} // namespace turnstile::matrix
