// SPDX-License-Identifier: BSL-1.0
// The lines of all locks, replayed from the transaction log.
#pragma once

#include "ticket.hpp"
#include "transaction_log.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::check {

/// Replays the transactions in the order of zxids, lock by lock. Tickets stand in the order of the
/// zxids that created them: that is the order of sequence numbers, and holds even if the lock path
/// was made anew. An exclusive ticket is owner when no ticket before it lives, a shared one when no
/// exclusive one does. A writer that becomes a reader keeps its place, and is the same ticket under
/// another name. When a session ends, its tickets go one by one in their order, since it may
/// have handed a lock from one to the next without asking the server.
///
/// The ensemble may have gone back on an answer (ordered_log::undone). If it undid a ticket's
/// removal, the ticket's node lives on, but bars nobody. If it undid a writer's step to a reader,
/// the ticket reads from then on, and is watched as a writer as long as its old node stands.
///
/// O(n log n) in the number of tickets.
class ticket_book {
public:
    explicit ticket_book(const ordered_log& log);

    [[nodiscard]] const std::vector<ticket>& tickets() const noexcept { return tickets_; }
    /// All tickets that a transaction created under this lock path.
    [[nodiscard]] std::vector<const ticket*> all_of(const std::string& lock,
                                                    std::int64_t created) const;
    /// The one of these that was removed first: its removal ended the grant. Null if there is none.
    [[nodiscard]] const ticket* find(const std::string& lock, std::int64_t created) const;
    /// The only ticket of that path; null if there is none, or more than one.
    [[nodiscard]] const ticket* find(const std::string& path) const;
    /// Whether any log has a ticket of that path.
    [[nodiscard]] bool known(const std::string& path) const;
    /// Whether the ticket stood in a log, but the ensemble did not keep it.
    [[nodiscard]] bool undone(const std::string& lock, std::int64_t created) const;
    /// Whether another session removed this ticket by mistake. That session had a ticket of the
    /// same name before, which the ensemble did not keep, and could not know that the name was
    /// given again.
    [[nodiscard]] bool mistaken(const ticket& t) const;

private:
    std::vector<ticket> tickets_;
    std::set<std::pair<std::int64_t, std::string>> undone_;       // zxid and lock
    std::set<std::pair<std::int64_t, std::string>> undone_names_; // session and path
    std::unordered_multimap<std::int64_t, std::size_t> by_zxid_;
    std::unordered_map<std::string, std::vector<std::size_t>> by_path_; // some paths have very many
};

} // namespace turnstile::check
