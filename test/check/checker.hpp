// SPDX-License-Identifier: BSL-1.0
// Holds a run against what Turnstile promises.
#pragma once

#include "history.hpp"
#include "transaction_log.hpp"
#include "verdict.hpp"

#include <filesystem>
#include <vector>

namespace turnstile::check {

struct check_options {
    /// How long a worker may take to tell what it has learnt, if it was paused, or if another
    /// program ended its ticket or session: its process has to get the processor first.
    instant grace = 500'000'000;
    /// How long it may take, counted from when its socket was given the news.
    instant told_grace = 100'000'000;
};

/// Checks a whole run in O(n log n). These are the rules, by the name that a violation carries. (In
/// brackets: a promise of test/promises, judged from what workers were told, in the order of time.
/// The others are the checker's own.)
///
/// history    [once] Each line makes sense, each completion comes once, each worker stops or is
///            killed. Something was granted, the schedule told all that it tells, and the proxies
///            wrote down as many notifications as the servers sent.
/// exclusion  Server order. A grant's token is the zxid that made a ticket of this lock and kind in
///            a session of this worker, and the ticket became owner before it was removed: at some
///            zxid none before it lived. None is granted twice, handed off before it was owner, or
///            removed by another worker's session.
///            Of a semaphore: the token made as many leases as were asked for, while nobody stood
///            in line or in the transaction that handed off the first ticket of the line; at no
///            zxid are more taken than the limit. A lease taken in line counts as granted. Of a
///            lock of one node: the token made this node. Of readers: at most 65 acquires of one
///            session share a ticket, and none passed a writer of that session. It is not handed
///            off, and marked by its own session alone, where no writer of another one stands
///            before it. A writer becomes a reader after it was owner, in its place. A reader
///            becomes a writer by a new ticket, made where only its own one stood.
/// overlap    [exclusion] Beliefs, from the grant to the first of release call, loss, kill or stop.
///            A writer reads from the call of its downgrade on, a reader writes from the answer to
///            its upgrade on. Excused (excuses.hpp) is the time of a paused process, and of a
///            ticket or session that the schedule ended, until its session can have known. Pauses
///            of servers excuse nothing.
/// token      [tokens] Tokens of grants that exclude each other rise, in the order of time. A grant
///            told in an excused time does not count.
/// order      [order] Such grants come in the order of their sequence numbers, as long as it is the
///            same directory. (Of a semaphore's line: see exclusion.)
/// served     [served] Each acquire, each awaited release, downgrade and upgrade of a worker that
///            was not killed is over, and nobody counts a waiter that was not served.
/// loss       [lost in time] No lock is lost for want of proof while the session lived on and, by
///            the schedule, one server could be reached for thirteen sixteenths of its timeout
///            (chances.hpp).
/// orphan     [nothing left] Nothing is left under a lock, and each ticket is removed in the log.
/// outcome    Of the tickets of one request at most one is granted, and no other outlives it or is
///            made after it, but those that the session itself deletes. A release that was told as
///            done was so: the ticket went, not by its worker's own close, and before the session
///            made a ticket for a later acquire. A downgrade told as done is in the log.
/// notice     The servers sent at most one notification for each ticket that went, beside one to
///            its own session, and one for the watch of each acquire that failed. By what the
///            proxies saw, only sessions are told that stood right behind the ticket at some time,
///            once each. Readers wait for the writer before them, a writer for the nearest ticket
///            and its marks. What comes on a connection that its session has left, or repeats after
///            the session's end, does not count. (The sum leaves out locks with readers; semaphores
///            count by their line.)
/// store      The store accepts no token below one that it accepted, refuses no other, and the
///            tokens are those of grants to write.
/// counter    Of a counter that only guarded writes change: the node's version, which counts all
///            writes, is one less than the value, at each increment that was answered as done and
///            at the end. So none wrote over another. Each value up to the end was written by one
///            that was answered so, or by one whose outcome nobody knows. None is missing.
/// observer   Each observer of an election was told last whose ticket was the first at the end,
///            with that one's value, and never of a leader that was older than the one before.
/// log        The servers agree on each transaction, none lacks what a majority has, and no ticket
///            was granted whose creation was not kept. Such a run says nothing about the clients.
/// run        The schedule found nothing wrong with the run: enough faults, enough acquisitions.
[[nodiscard]] verdict check_run(const history& told, const transaction_log& log,
                                const check_options& how = {});

/// A run as read from files and folders. In a folder: history/*.jsonl (or *.jsonl), and the logs:
/// server-*/transactions.txt, else dumped from server-*/version-2, else txnlog*.txt.
/// A file *.jsonl is a history; any other file is one server's log as text.
struct run_files {
    history told;
    transaction_log log;

    /// Throws std::runtime_error if it cannot be read.
    explicit run_files(const std::vector<std::filesystem::path>& from);
};

} // namespace turnstile::check
