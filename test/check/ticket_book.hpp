// The lines of all locks, replayed from the transaction log.
#pragma once

#include "line_name.hpp"
#include "node_name.hpp"
#include "transaction_log.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
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
    /// Another hand removed it when tickets of its own session alone stood before it: that may have
    /// handed it the lock without asking the server.
    bool behind_own = false;
    bool gone_twice = false; ///< a removal of it was answered, and not kept
    /// Whose tickets ever stood right behind it: they watch it, and nobody else does.
    std::vector<std::int64_t> watchers;

    [[nodiscard]] bool in_line() const noexcept { return role == node_role::ticket; }
    [[nodiscard]] bool exclusive() const noexcept { return !place.shared; }
    [[nodiscard]] bool was_owner() const noexcept { return owner_from != not_yet; }
};

/// Replays the transactions in the order of zxids, lock by lock. Who stands before whom is told by
/// the zxid of the creation: it is the order of sequence numbers, and holds also when the directory
/// was made anew. An exclusive ticket is owner when no ticket before it lives, a shared one when no
/// exclusive one does. Where a session ends, its tickets go one by one in their order, since it may
/// have handed a lock from one to the next without asking the server.
///
/// Where the ensemble went back on what it had answered (ordered_log::undone), a ticket that had
/// been given up stands in nobody's way, though its node lives on.
///
/// O(n log n) in the number of tickets.
class ticket_book {
public:
    explicit ticket_book(const ordered_log& log);

    [[nodiscard]] const std::vector<ticket>& tickets() const noexcept { return tickets_; }
    /// All that a transaction created under this lock path.
    [[nodiscard]] std::vector<const ticket*> all_of(const std::string& lock,
                                                    std::int64_t created) const;
    /// The one of them that went first, which ended what was granted; null if there is none.
    [[nodiscard]] const ticket* find(const std::string& lock, std::int64_t created) const;
    /// The only ticket of that path; null if there is none, or more than one.
    [[nodiscard]] const ticket* find(const std::string& path) const;
    /// Whether any log has a ticket of that path.
    [[nodiscard]] bool known(const std::string& path) const;
    /// Whether the ticket stood in a log, but the ensemble did not keep it.
    [[nodiscard]] bool undone(const std::string& lock, std::int64_t created) const;
    /// Whether whoever removed it had a ticket of the same name that the ensemble did not keep, and
    /// could not know that the name was given again.
    [[nodiscard]] bool mistaken(const ticket& t) const;

private:
    std::vector<ticket> tickets_;
    std::set<std::pair<std::int64_t, std::string>> undone_;       // zxid and lock
    std::set<std::pair<std::int64_t, std::string>> undone_names_; // session and path
    std::unordered_multimap<std::int64_t, std::size_t> by_zxid_;
    std::unordered_multimap<std::string, std::size_t> by_path_;
};

} // namespace turnstile::check
