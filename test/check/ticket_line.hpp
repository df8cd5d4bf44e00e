// SPDX-License-Identifier: BSL-1.0
// One line: its tickets, its owners, and those who watch each ticket.
#pragma once

#include "ticket.hpp"

#include "lock_kinds.hpp"
#include "promises/lock_kind.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
    void stand(std::size_t index, std::int64_t zxid) {
        auto& it = tickets_[index];
        it.met = standing_.size();
        it.behind_met = standing_.empty() ? 0 : tickets_[*standing_.rbegin()].created;
        look(index);
        standing_.insert(index);
        waiting_.insert(index);
        if (!it.reads()) {
            writers_.insert(index);
            named_writers_.insert(index);
        }
        promote(zxid);
    }
    void leave(std::size_t index, std::int64_t zxid) {
        auto& it = tickets_[index];
        if (waiting_.erase(index) != 0 && !owners_.empty())
            it.behind = tickets_[*owners_.begin()].name_and_session();
        if (owners_.erase(index) != 0)
            taken_ -= taken_by(!it.reads());
        writers_.erase(index);
        close_ranks(index, named_writers_.erase(index) != 0);
        promote(zxid);
    }
    /// A writer becomes a reader in the same place, whatever its node's name is.
    void become_reader(std::size_t index, std::int64_t zxid) {
        auto& it = tickets_[index];
        if (it.reads())
            return;
        it.downgraded_behind_own = waiting_.count(index) != 0 && is_behind_own(index);
        it.downgraded = zxid;
        if (writers_.erase(index) == 0)
            return; // it stands there no more
        if (owners_.count(index) != 0) {
            taken_ -= taken_by(true);
            taken_ += taken_by(false);
        }
        promote(zxid);
    }
    /// The ticket's node has a reader's name now: no reader watches it any more.
    void rename(std::size_t index) {
        if (named_writers_.erase(index) == 0)
            return; // it stands there no more
        // Of the tickets behind it only a writer waits for it under its new name.
        const auto next = standing_.upper_bound(index);
        if (next != standing_.end())
            look(*next);
        const auto end = next == standing_.end() ? tickets_.size() : *next;
        for (auto g = ghosts_.upper_bound(index); g != ghosts_.end() && *g < end; ++g)
            look(*g);
    }
    /// Another program is about to remove it: its session may not know that for a while.
    void add_ghost(std::size_t index) { ghosts_.insert(index); }

    /// The first ticket; null if the line is empty.
    [[nodiscard]] const ticket* first() const {
        return standing_.empty() ? nullptr : &tickets_[*standing_.begin()];
    }
    /// Whether all tickets that it has to wait for are of its own session.
    [[nodiscard]] bool is_behind_own(std::size_t index) const {
        const auto& it = tickets_[index];
        const auto& among = waited_for_by(it);
        return std::all_of(among.begin(), among.lower_bound(index), [&](std::size_t before) {
            return tickets_[before].session == it.session;
        });
    }
    /// The ticket that it has to wait for first, if that is of its own session.
    [[nodiscard]] std::optional<std::size_t> own_before(std::size_t index) const {
        const auto& among = waited_for_by(tickets_[index]);
        const auto at = among.lower_bound(index);
        if (at == among.begin() || tickets_[*std::prev(at)].session != tickets_[index].session)
            return std::nullopt;
        return *std::prev(at);
    }
    /// The first writer of another session before it.
    [[nodiscard]] std::optional<std::size_t> writer_before(std::size_t index) const {
        const auto end = writers_.lower_bound(index);
        const auto other = std::find_if(writers_.begin(), end, [&](std::size_t before) {
            return tickets_[before].session != tickets_[index].session;
        });
        return other == end ? std::nullopt : std::optional{*other};
    }

private:
    [[nodiscard]] const std::set<std::size_t>& waited_for_by(const ticket& it) const {
        return it.reads() ? writers_ : standing_;
    }
    [[nodiscard]] const std::set<std::size_t>& watched_by(const ticket& it) const {
        return it.reads() ? named_writers_ : standing_;
    }
    /// Finds the ticket that this one watches: for a reader the writer before it, for a writer the
    /// nearest ticket. Tickets of its own session are skipped: their deletions may be on the way.
    void look(std::size_t index) {
        const auto& it = tickets_[index];
        const auto& among = watched_by(it);
        for (auto at = among.lower_bound(index); at != among.begin();) {
            auto& before = tickets_[*--at];
            if (before.watchers.empty() || before.watchers.back() != it.session)
                before.watchers.push_back(it.session);
            if (before.session != it.session || !it.reads())
                return;
        }
    }
    /// A ticket that waited for one that leaves now waits for the one before that.
    void close_ranks(std::size_t index, bool was_writer) {
        const auto at = standing_.find(index);
        if (at == standing_.end())
            return;
        const auto after = standing_.erase(at);
        if (after == standing_.begin()) { // no ticket is left before these
            const auto oldest = after == standing_.end() ? tickets_.size() : *after;
            ghosts_.erase(ghosts_.begin(), ghosts_.lower_bound(oldest));
            return;
        }
        const auto next_writer = named_writers_.upper_bound(index);
        const auto run = next_writer == named_writers_.end() ? tickets_.size() : *next_writer;
        for (auto next = after; next != standing_.end() && *next <= run; ++next) {
            look(*next);
            if (!was_writer)
                break; // readers do not wait for readers
        }
        for (auto g = ghosts_.lower_bound(index); g != ghosts_.end() && *g < run; ++g)
            look(*g);
    }
    /// Makes the first tickets in line owners, as many as may hold the lock together.
    void promote(std::int64_t zxid) {
        while (!waiting_.empty()) {
            const auto index = *waiting_.begin();
            auto& it = tickets_[index];
            const auto takes = taken_by(!it.reads());
            if (!kind_of_lines.fits(taken_, takes))
                return;
            it.owner_from = zxid;
            waiting_.erase(waiting_.begin());
            owners_.insert(index);
            taken_ += takes;
        }
    }

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
