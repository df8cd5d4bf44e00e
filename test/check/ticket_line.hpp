// SPDX-License-Identifier: BSL-1.0
// One line: its tickets, its owners, and those who watch each ticket.
#pragma once

#include "ticket.hpp"

#include "promises/lock_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace turnstile::check {

/// Identifies tickets by their index in `all`, which grows with the zxid. ticket_book replays each
/// lock with one of these, and owns the tickets.
class ticket_line {
public:
    explicit ticket_line(std::vector<ticket>& all) : tickets_{all} {}

    /// The ticket joins the line, or leaves it, in this transaction.
    void stand(std::size_t index, std::int64_t zxid);
    void leave(std::size_t index, std::int64_t zxid);
    /// A writer becomes a reader in the same place, whatever its node's name is.
    void become_reader(std::size_t index, std::int64_t zxid);
    /// The ticket's node has a reader's name now: no reader watches it any more.
    void rename(std::size_t index);
    /// Another program is about to remove it: its session may not know that for a while.
    void haunt(std::size_t index) { ghosts_.insert(index); }

    /// The first ticket; null if the line is empty.
    [[nodiscard]] const ticket* first() const;
    /// Whether all tickets that it has to wait for are of its own session.
    [[nodiscard]] bool is_behind_own(std::size_t index) const;
    /// The ticket that it has to wait for first, if that is of its own session.
    [[nodiscard]] std::optional<std::size_t> own_before(std::size_t index) const;
    /// The first writer of another session before it.
    [[nodiscard]] std::optional<std::size_t> writer_before(std::size_t index) const;

private:
    [[nodiscard]] const std::set<std::size_t>& waited_for_by(const ticket& it) const {
        return it.reads() ? writers_ : standing_;
    }
    [[nodiscard]] const std::set<std::size_t>& watched_by(const ticket& it) const {
        return it.reads() ? named_writers_ : standing_;
    }
    void look(std::size_t index);
    void close_ranks(std::size_t index, bool was_writer);
    void promote(std::int64_t zxid);

    std::vector<ticket>& tickets_;
    std::set<std::size_t> waiting_;
    std::set<std::size_t> owners_;
    promises::units taken_ = 0;      // places that the owners take
    std::set<std::size_t> standing_; // the waiting and the owners
    std::set<std::size_t> writers_;  // those of these that write
    // Writers, and tickets that would have become readers if the ensemble had kept that: others see
    // the old node.
    std::set<std::size_t> named_writers_;
    std::set<std::size_t>
        ghosts_; // removed by another program: their sessions may not know that yet
};

} // namespace turnstile::check
