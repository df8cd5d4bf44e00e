// SPDX-License-Identifier: BSL-1.0
#include "ticket_line.hpp"

#include "lock_kinds.hpp"

#include <algorithm>
#include <iterator>

namespace turnstile::check {

void ticket_line::stand(std::size_t index, std::int64_t zxid) {
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

void ticket_line::leave(std::size_t index, std::int64_t zxid) {
    auto& it = tickets_[index];
    if (waiting_.erase(index) != 0 && !owners_.empty())
        it.behind = tickets_[*owners_.begin()].name_and_session();
    if (owners_.erase(index) != 0)
        taken_ -= taken_by(!it.reads());
    writers_.erase(index);
    close_ranks(index, named_writers_.erase(index) != 0);
    promote(zxid);
}

void ticket_line::become_reader(std::size_t index, std::int64_t zxid) {
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

void ticket_line::rename(std::size_t index) {
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

const ticket* ticket_line::first() const {
    return standing_.empty() ? nullptr : &tickets_[*standing_.begin()];
}

bool ticket_line::is_behind_own(std::size_t index) const {
    const auto& it = tickets_[index];
    const auto& among = waited_for_by(it);
    return std::all_of(among.begin(), among.lower_bound(index),
                       [&](std::size_t before) { return tickets_[before].session == it.session; });
}

std::optional<std::size_t> ticket_line::own_before(std::size_t index) const {
    const auto& among = waited_for_by(tickets_[index]);
    const auto at = among.lower_bound(index);
    if (at == among.begin() || tickets_[*std::prev(at)].session != tickets_[index].session)
        return std::nullopt;
    return *std::prev(at);
}

std::optional<std::size_t> ticket_line::writer_before(std::size_t index) const {
    const auto end = writers_.lower_bound(index);
    const auto other = std::find_if(writers_.begin(), end, [&](std::size_t before) {
        return tickets_[before].session != tickets_[index].session;
    });
    return other == end ? std::nullopt : std::optional{*other};
}

/// Finds the ticket that this one watches: for a reader the writer before it, for a writer the
/// nearest ticket. Tickets of its own session are skipped: their deletions may be on the way.
void ticket_line::look(std::size_t index) {
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
void ticket_line::close_ranks(std::size_t index, bool was_writer) {
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
void ticket_line::promote(std::int64_t zxid) {
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

} // namespace turnstile::check
