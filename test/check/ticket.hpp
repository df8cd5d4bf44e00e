// SPDX-License-Identifier: BSL-1.0
// The life of one node that a lock is held with, in zxids.
#pragma once

#include "line_name.hpp"
#include "node_name.hpp"

#include "support/history_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::check {

inline constexpr std::int64_t not_yet = std::numeric_limits<std::int64_t>::max();

enum class removal {
    none,
    handed_off,  ///< set_data and delete in one transaction: an owner's release
    deleted,     ///< by its own session
    session_end, ///< it expired, or somebody closed it who had its id and password
    foreign,     ///< by another session
};

/// The life, in zxids, of one node that a lock is held with: a ticket; a lease of a semaphore, of
/// which an acquire may have several; the one node of a lock of one node.
struct ticket {
    node_role role = node_role::ticket;
    std::string lock;
    line_name place; ///< of a lease that was taken in line: that of its ticket
    std::string name;
    std::string request;
    std::int64_t session = 0;
    std::int64_t created = 0;
    /// From here on it was owner: nobody was before it whom it has to wait for. The transaction of
    /// its own creation, or the one that removed the last of those. (A lease that was tried is
    /// owner if nobody stood in line, a lease that was taken if that ended a ticket. Whether there
    /// was room for it, see rules_leases.cpp.)
    std::int64_t owner_from = not_yet;
    std::int64_t removed = not_yet;
    removal how = removal::none;
    std::int64_t removed_by = 0; ///< the session
    bool expired = false;        ///< where the session ended: nobody asked for it
    std::string behind;          ///< who was owner when it was removed, if it never was
    /// A foreign client removed it while it waited for this ticket of its own session, by its
    /// index.
    std::optional<std::size_t> own_before;
    /// And that one became owner, or was handed the lock in this way itself: its session may have
    /// handed on without asking the server. The ticket before keeps all others out meanwhile.
    bool behind_own = false;
    bool gone_twice = false; ///< a removal of it was answered, and not kept
    /// Sessions whose tickets ever waited for this one: they watch it, and nobody else does.
    std::vector<std::int64_t> watchers;

    /// A writer's: from here on it is held to read, in the same place and under `name`.
    std::int64_t downgraded = not_yet;
    std::string first_name; ///< that it had before; empty where it kept its name
    std::vector<std::int64_t> first_watchers;
    /// And nothing but tickets of its own session stood before it then, which may be on their way
    /// out. Whether they had been released, the beliefs tell.
    bool downgraded_behind_own = false;
    bool out_of_nothing = false; ///< it has the name of such a reader, and was no writer before

    std::size_t met = 0;         ///< how many stood in line when it came
    std::int64_t behind_met = 0; ///< the last of them, by the zxid that created it

    std::size_t marks = 0;     ///< how often its session said that no writer stands before it
    std::string marked_behind; ///< the writer that stood there all the same
    bool set_alive = false;    ///< its data was changed, and that was no such mark

    [[nodiscard]] bool in_line() const noexcept { return role == node_role::ticket; }
    /// As it was made.
    [[nodiscard]] bool exclusive() const noexcept { return !place.shared; }
    /// Whether it is a reader's by now.
    [[nodiscard]] bool reads() const noexcept { return place.shared || downgraded != not_yet; }
    [[nodiscard]] bool was_owner() const noexcept { return owner_from != not_yet; }
    [[nodiscard]] std::string path() const { return lock + '/' + name; }
    [[nodiscard]] std::string name_and_session() const {
        return name + " of session " + test::history_hex(session);
    }
    /// Of the node of that name, which is one of its two.
    [[nodiscard]] const std::vector<std::int64_t>& watchers_of(std::string_view which) const {
        return which == first_name ? first_watchers : watchers;
    }
};

} // namespace turnstile::check
