// SPDX-License-Identifier: BSL-1.0
// Who stands in one line, who of them holds, and who is told when a ticket goes.
#pragma once

#include "ticket.hpp"

#include "promises/lock_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace turnstile::check {

/// Tickets are known by their index, which grows with the zxid.
class ticket_line {
public:
    explicit ticket_line(std::vector<ticket>& all) : tickets_{all} {}

    void stand(std::size_t index, std::int64_t zxid);
    void leave(std::size_t index, std::int64_t zxid);
    /// From writer to reader, in the same place: by its owner's will, under whatever name.
    void become_reader(std::size_t index, std::int64_t zxid);
    /// Its node has a reader's name now, so that no reader watches it any more.
    void rename(std::size_t index);
    /// A foreign client is about to remove it: its session may not know it for a while.
    void haunt(std::size_t index) { ghosts_.insert(index); }

    /// Null where nobody stands there.
    [[nodiscard]] const ticket* first() const;
    /// Whether those whom it has to wait for are all of its own session.
    [[nodiscard]] bool is_behind_own(std::size_t index) const;
    /// The one that it waits for first of all, if that is of its own session.
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
    promises::units taken_ = 0;      // by the owners
    std::set<std::size_t> standing_; // the waiting and the owners
    std::set<std::size_t> writers_;  // of them
    // And those that would have become readers, had the ensemble kept it: others see the old node.
    std::set<std::size_t> named_writers_;
    std::set<std::size_t>
        ghosts_; // removed by a foreign client: their sessions may not know it yet
};

} // namespace turnstile::check
