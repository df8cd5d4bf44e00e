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
    deleted,     ///< deleted by its own session
    session_end, ///< its session expired, or was closed by its id and password
    foreign,     ///< deleted by another session
};

/// The life, in zxids, of one node that a lock is held with. It is a ticket; or a permit of a
/// semaphore, of which an acquire may have several; or the one node of a lock of one node. (The
/// nodes of permits are named "lease", as Curator's are.)
struct ticket {
    node_role role = node_role::ticket;
    std::string lock;
    line_name place; ///< of a ticket; of a permit that was taken in line: its ticket's place
    std::string name;
    std::string request;
    std::int64_t session = 0;
    std::int64_t created = 0;
    /// From this transaction on it was owner: no ticket stood before it that it has to wait for. It
    /// created the ticket, or removed the last such ticket. (A permit that was tried is owner if no
    /// ticket stood in line; a permit that was taken, if its creation ended a ticket. Whether there
    /// was room for it: see rules_leases.cpp.)
    std::int64_t owner_from = not_yet;
    std::int64_t removed = not_yet;
    removal how = removal::none;
    std::int64_t removed_by = 0; ///< the session
    bool expired = false;        ///< the session ended without anybody asking for it
    std::string behind;          ///< if it never was owner: the owner when it was removed
    /// Another program removed it while it waited for this ticket (an index) of its own session.
    std::optional<std::size_t> own_before;
    /// The ticket own_before became owner, or got the lock in this same way: the session may have
    /// handed the lock on without asking the server. That ticket keeps all others out meanwhile.
    bool behind_own = false;
    bool removal_undone =
        false; ///< the ensemble undid a removal of it, which may have been answered
    /// Sessions whose tickets ever waited for this one. They watch it, and no others do.
    std::vector<std::int64_t> watchers;

    /// From this transaction on a writer is held to read, in the same place and under `name`.
    std::int64_t downgraded = not_yet;
    std::string first_name; ///< the name that it had before; empty: it kept its name
    std::vector<std::int64_t> first_watchers;
    /// At the downgrade only tickets of its own session stood before it, whose deletions may be on
    /// their way. (Whether these had been released is judged by the beliefs.)
    bool downgraded_behind_own = false;
    bool made_as_reader = false; ///< it has a downgraded reader's name, but was no writer before

    std::size_t met = 0;         ///< how many stood in line when it came
    std::int64_t behind_met = 0; ///< the last of them, by the zxid that created it

    std::size_t marks = 0;     ///< how often its session said that no writer stands before it
    std::string marked_behind; ///< the writer that stood there all the same
    bool set_alive = false;    ///< its data was changed, and not to set a mark

    [[nodiscard]] bool in_line() const noexcept { return role == node_role::ticket; }
    /// Whether it was made to write.
    [[nodiscard]] bool exclusive() const noexcept { return !place.shared; }
    /// Whether a reader holds it by now.
    [[nodiscard]] bool reads() const noexcept { return place.shared || downgraded != not_yet; }
    [[nodiscard]] bool was_owner() const noexcept { return owner_from != not_yet; }
    [[nodiscard]] std::string path() const { return lock + '/' + name; }
    [[nodiscard]] std::string name_and_session() const {
        return name + " of session " + test::history_hex(session);
    }
    /// The watchers of the node `which`, one of the ticket's two names.
    [[nodiscard]] const std::vector<std::int64_t>& watchers_of(std::string_view which) const {
        return which == first_name ? first_watchers : watchers;
    }
};

} // namespace turnstile::check
