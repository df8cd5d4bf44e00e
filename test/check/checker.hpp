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
    /// How long a worker that was paused, or whose ticket or session somebody else ended, may take
    /// to tell what it has learnt: its process has to be given the processor.
    instant grace = 500'000'000;
    /// The same from the moment on in which its socket was given the word.
    instant told_grace = 100'000'000;
};

/// Checks a whole run in O(n log n). The rules, by the word that a violation carries. (Those in
/// brackets are the promises of test/promises, judged from what workers were told, in the order of
/// time. The others are the checker's own.)
///
/// history    [once] Each line makes sense: nobody is granted what was not asked for, no acquire
/// and
///            no release completes twice, no loss is told twice or after the end of the release.
///            And each worker stops or is killed. It is complete:
///            something was granted, and a schedule, if there was one, told all that it tells once.
///            Proxies, if there were any, each wrote something down, and together as many
///            notifications as the servers sent.
/// exclusion  Server order. An exclusive grant's token is the zxid that created an exclusive ticket
///            of this lock, in a session of this worker, and this ticket *became owner* before it
///            was removed: at some zxid no ticket before it lived. No ticket is granted twice. A
///            ticket is released by hand-off (set_data and delete) only after it became owner, and
///            no worker's session removes another session's ticket.
///            Of a semaphore: the token is the zxid that made as many leases as were asked for.
///            Either nobody stood in line then, or the same transaction handed off the ticket that
///            was first in line. At no zxid stand more leases that were granted than its limit
///            says. A lease that was taken in line is granted, even if nobody was told: a part of
///            several is told when all are there. Of a lock of one node: the token is the zxid that
///            made this node.
///            Of readers: a ticket is a reader's if it was made so. At most 65 acquires of one
///            session share it, and none of them passed a writer of that session, asked for in
///            between. A ticket that is held to read is not handed off. Its data is set by its own
///            session alone, as a mark, where no writer of another session stands before it; a
///            writer's is not set at all while it stands.
///            A writer becomes a reader in its place only after it became owner. A reader becomes a
///            writer by a new ticket, made where only its own one stood. That counts as a grant.
/// overlap    [exclusion] Beliefs. One lasts from the grant to the first of release call, loss
/// told,
///            kill or stop of the worker. Two beliefs of one lock, not both shared, do not overlap;
///            those of a semaphore do not take more leases together than its limit says.
///            Excused, for the one belief that it concerns, is the time
///            - from a pause of its worker's process to its resumption, and the grace after it;
///            - of a ticket that had become owner: from the moment in which the schedule set about
///              deleting it, if the log shows that another session deleted it, until the ticket's
///              own session was told: the first answered check or read that said "no node", or
///              event that said "deleted", as a proxy gave it to the client's socket, and
///              told_grace. A word on a connection that ended within that grace does not count: it
///              may not have been read. Without any word until one session timeout (and the grace)
///              after the schedule's line: by then the lease is over. A ticket that only waited is
///              told of its end before a grant. So it is excused only where a proxy swallowed that
///              word; and where a neighbour of its session may have handed it the lock unseen, for
///              told_grace from the word on.
///            - of an owner: from the moment in which the schedule set about ending this session,
///            if the log
///              shows that the ticket went with it, until one session timeout (and the grace) after
///              it had; or, if that is earlier, until the session was told as above, or until what
///              it proved before its last connection through a proxy ended is too old (and
///              told_grace). That end itself is no word: its client has to ask elsewhere first.
///            - from one session timeout before the schedule's word on, if it does not say when it
///              set about it.
///            - always, if the ensemble did not keep the ticket (see log), or if the holder of
///              such a ticket removed another of its name.
///            A writer reads from the call of its downgrade on, and writes again if that failed. A
///            reader writes from the moment on in which it was told of its upgrade.
///            Pauses of servers excuse nothing.
/// token      [tokens] In the order of time, tokens of grants of one lock that exclude each other
///            rise. Told late, in an excused time, a grant does not count. Of a semaphore with a
///            limit above 1 they need not.
/// order      [order] In the order of time, grants that exclude each other come in the order of
///            their sequence numbers, as long as it is the same directory. (The strict order of a
///            semaphore's line is a part of "exclusion": only the first in line takes leases.)
/// served     [served] Each acquire of a worker that was not killed is over: failed, or granted and
///            then released or lost; and each release is, for whose end somebody waited, each
///            downgrade and each upgrade. The schedule and the workers count no waiter that was not
///            served.
/// loss       [lost in time] No lock is lost for nothing: told for want of proof, though nothing
///            excused it while it was held, the session lived on (the ticket was not removed by its
///            end) and proof was to be had: for thirteen sixteenths of the session timeout before
///            the loss, one and the same server could be reached and served, by the schedule's
///            record (chances.hpp).
/// orphan     [nothing left] Nothing is left under a lock at the end, and each ticket of the log is
///            removed in it.
/// outcome    Each acquire whose outcome was unknown was resolved: of the tickets of one request,
///            at most one is granted; when that is removed by its session no other one lives, and
///            none is made after it, but those that the session itself deletes: a create that was
///            held back on its way may appear when all is over, and is listed later. (How soon is
///            not seen: the log tells the time to the second only.)
///            And each release that succeeded, by its worker's word, was so: the ticket was
///            removed, be it by its session's end, unless the worker itself closed that session;
///            and before any ticket of the session was made that was granted to an acquire begun
///            after the word. (Of readers who share a ticket that holds for the last one; and
///            theirs may be older than their acquires.) Each downgrade that succeeded is in the
///            log.
/// notice     The servers sent at most one notification per ticket that went, beside one to its own
///            session, and one for the watch
///            that an acquire may have left behind which failed. (schedule: counters {events})
///            What a server sends again on a connection whose session has ended does not count.
///            And for each ticket, by what the proxies saw: nobody is told that it went but its own
///            session, by the same rule if it was granted (nobody knows how long others stood; and
///            a new connection since it was asked for is as good as a beat), and the sessions of
///            tickets that stood right behind it at some time, by the log: one, unless those
///            between left the line before it did. (Or were deleted by another hand, and did not
///            know it yet.) Each is told once, on one connection; what comes on a connection that
///            its session has left does not count, but comes once. A reader waits for the writer
///            before it, so all readers up to the next writer are told of one. A writer waits for
///            the nearest ticket, and is told of a reader's marks as well. Who has become a reader
///            is waited for under its new name by a writer only. (The sum leaves out locks that
///            have readers.) Not of semaphores and locks of one node, but for a semaphore's line,
///            and for its leases, which only their own session watches.
/// store      The store accepts no token below one that it accepted before, refuses no other, and
///            the tokens are those of grants to write.
/// log        The servers agree on what each transaction was, none lacks what a majority has, and
///            no ticket was granted whose creation they answered and did not keep. Such a run says
///            nothing about the clients; so those grants break no other rule as well.
/// run        The schedule found nothing wrong with the run: enough faults, enough acquisitions.
[[nodiscard]] verdict check_run(const history& told, const transaction_log& log,
                                const check_options& how = {});

/// A run as read from files and folders. Of a folder: history/*.jsonl (or *.jsonl), and the logs:
/// server-*/transactions.txt, else dumped from server-*/version-2, else txnlog*.txt.
/// Of files: *.jsonl is a history, any other one server's log as text.
struct run_files {
    history told;
    transaction_log log;

    /// Throws std::runtime_error if it cannot be read.
    explicit run_files(const std::vector<std::filesystem::path>& from);
};

} // namespace turnstile::check
