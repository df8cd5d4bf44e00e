#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check_rows.py FILE "<scenario>/<waiters>/<sessions>[/<lock>] ..." ["<peer>/<scenario>/<waiters> ..."]

The file of rows has these of Turnstile, each exactly once, and these of peers; "-" where a field does not apply, no lock
where it is a mutex. <lock> ends in -<permits> with a semaphore, in -<parts> with a multi. A row of another way to wait has
its strategy behind a last slash, a rested line "rested", as in wakeup/10/10/shared/herd-shared. Rows of `cost` are expected
as cost/<strategy>. Beside each row of Turnstile's there must be both of the bare client's.
"""
import json
import re
import sys

number = (int, float)


class Row(dict):
    def has(self, name, kind=number):
        """A number that is none is written as null."""
        value = self.get(name)
        if not isinstance(value, kind):
            sys.exit(f"{name} should be a {kind}, is {value!r} in {dict(self)}")
        return value

    def positive(self, names):
        for name in names.split():
            self.require(self.has(name) > 0, f"{name} should be above 0")

    def at_most(self, name, limit):
        self.require(self.has(name) <= limit, f"{name} should be at most {limit}")

    def blocks(self, *names):
        """The figure over parts of the run, without which `compare` cannot judge it."""
        for name in names:
            self.require(self.get("blocks", {}).get(name), f"there should be blocks of {name}")

    def require(self, good, otherwise):
        if not good:
            sys.exit(f"{otherwise} in {dict(self)}")

    def name(self):
        """Turnstile's name for a row of the bare client: what it was measured beside."""
        parts = [self["scenario"], str(self.get("waiters", "-")), str(self.get("sessions", "-"))]
        if self.get("lock", "mutex") != "mutex":
            parts.append(self["lock"])
        return "/".join(parts) + "".join(f"-{self[size]}" for size in ("permits", "parts") if size in self) + (
            "/rested" if "cold" in self else "")


def check_whole(row):
    """A scenario that has one row."""
    scenario = row["scenario"]
    if scenario in ("throughput", "storm"):
        row.positive("per_s")
        row.blocks("per_s")
    if row["strategy"].startswith("bare-client"):
        return
    if scenario == "throughput":
        row.positive("ratio_to_bare_client locks inflight")
    elif scenario == "memory":
        row.positive("bytes_per_waiter waiters")
    elif scenario == "storm":
        row.positive("ratio_to_bare_client waiters sessions p50_us processor_us requests_per_cancel")
        # The deletion, and the next one behind it looks for another one to watch.
        row.at_most("requests_per_cancel", 6)
        row.at_most("watch_events_per_cancel", 2)
    elif scenario in ("death", "restart"):
        row.positive("p50_us timeout_ms times_timeout")
        # A timeout of 4 s and two ticks; or nobody waits for the timeout.
        row.at_most("times_timeout", 2 if row["strategy"] == "turnstile" else 0.9)
    elif scenario in ("leaders", "yield-asked"):
        row.positive("p50_us p99_us")
    elif scenario == "guarded":
        row.positive("ratio_to_bare_client requests_per_write")
        row.at_most("requests_per_write", 1.2)  # and a beat may come between
    elif scenario.startswith("observe"):
        row.positive("p50_us requests_per_observer watch_events_per_session news_per_observer waiters sessions")
        # A change of leader: two, and what the candidates send. One node is read for a proclamation.
        row.at_most("requests_per_observer", 3 if scenario == "observe" else 2)
        row.require(row["news_per_observer"] == 1, "each observer should be told once")
    elif scenario == "yield":
        row.positive("ratio_to_bare_client")
    elif scenario in ("yield-unused", "yield-awaited"):
        row.positive("requests_per_acquire bytes_sent_per_acquire")
        # An acquire and a release; the first wait asks once. A beat may come between.
        row.at_most("requests_per_acquire", 2.2 if scenario == "yield-unused" else 3.2)
    else:
        row.positive("sessions requests_per_holder_and_s server_us_per_holder_and_s")
        row.at_most("requests_per_holder_and_s", 1.2)  # a beat every eighth of 10 s, and a ping now and then


def check_peer(row):
    row.has("version", str)
    row.positive("ratio_to_turnstile ratio_to_bare_client sessions threads")
    row.blocks("ratio_to_turnstile")
    if row["scenario"] == "wakeup":
        row.positive("waiters line_up_s drain_s")
    if row["strategy"] != "etcd":
        row.positive("bytes_received_per_acquire bytes_sent_per_acquire")
        if row["scenario"] == "wakeup":
            row.positive("watch_events_per_release waiters_woken_per_release")
        else:
            row.positive("requests_per_acquire")
            row.at_most("requests_per_acquire", 7)


def check_wakeup(row, lock, strategy):
    row.positive("waiters line_up_s drain_s")
    waiters, sessions = row["waiters"], row["sessions"]
    if lock != "readers":
        row.positive("bytes_received_per_acquire bytes_sent_per_acquire")
        row.require(len(row.get("quantiles_us", [])) >= 2, "there should be quantiles")
        row.require(row["count"] % waiters == 0, "each round hands on to every waiter, and each of these is a sample")
    of_one_node = lock == "single-node" or strategy == "herd-single-node"
    if lock == "readers":  # one for each ticket, and readers share them
        most = waiters
    elif lock == "semaphore":  # the first in line watches the permits besides
        most = 5
    else:  # all sessions that wait wake in a herd
        most = sessions if of_one_node or strategy.startswith("herd-") else 2
    row.at_most("watch_events_per_release", most)
    if most == 2 and strategy == "turnstile" and lock in ("mutex", "shared"):  # the next in line, and nobody else
        row.at_most("waiters_woken_per_release", 1)
    # Neighbours of one session need none, and the waiters of a lock of one node may follow each other in one session.
    row.require(sessions == 1 or of_one_node or row["watch_events_per_release"] > 0.5,
                "neighbours should be of different sessions")


def check_uncontended(row, lock, strategy):
    row.positive("requests_per_acquire")
    if row["scenario"] == "uncontended-acquire":  # one request, and a beat may come between; some list as well
        most = 2.2 if strategy in ("listing", "herd-exclusive", "herd-shared") else 1.2
    elif lock == "multi":  # one for the acquire, and a release for each part
        most = row.has("parts") + 2
    else:  # another way to wait: create, list, delete
        most = 3 if strategy == "turnstile" else 3.2
    row.at_most("requests_per_acquire", most)


def main(file, expected, expected_peers=""):
    seen, bare, peers, needed = [], set(), [], set()
    for row in map(Row, json.load(open(file))):
        scenario, strategy = row.has("scenario", str), row.has("strategy", str)
        if scenario == "cost":
            for name in ("instructions", "allocations", "system_calls"):
                row.positive(f"{name}_per_acquire_release")
                row.blocks(f"{name}_per_acquire_release")
            seen.append(f"cost/{strategy}")
            continue
        row.positive("count")
        whole = scenario in ("throughput", "memory", "storm", "death", "restart", "leaders", "idle", "guarded", "observe",
                             "observe-proclaim", "yield", "yield-asked", "yield-unused", "yield-awaited")
        if whole:
            row.has("lock", str)
            check_whole(row)
        else:
            row.positive("p50_us p90_us p99_us max_us")
            row.blocks("p50_us")
        name = scenario if whole else row.name()
        if strategy in ("bare-client", "bare-client-redirected"):
            if not whole and strategy != "bare-client":
                row.positive("ratio_to_bare_client")
                row.blocks("ratio_to_bare_client")
            bare.add((name, strategy))
        elif whole:
            seen.append(name if strategy == "turnstile" else f"{name}/{strategy}")
            needed |= {(name, "bare-client")} if scenario in ("throughput", "storm", "guarded", "yield") else set()
        elif strategy in ("curator", "java-write-lock", "kazoo", "etcd"):
            check_peer(row)
            peers.append(f"{strategy}/{scenario}/{row['waiters'] if scenario == 'wakeup' else '-'}")
        else:
            row.require(re.fullmatch("turnstile|listing|herd-(exclusive|shared|single-node)", strategy),
                        "the strategy is unknown")
            row.positive("ratio_to_bare_client sessions")
            row.blocks("ratio_to_bare_client")
            row.require(row.has("threads") == 1, "threads should be 1")
            (check_wakeup if scenario == "wakeup" else check_uncontended)(row, row.has("lock", str), strategy)
            needed |= {(name, "bare-client"), (name, "bare-client-redirected")}
            seen.append(name if strategy == "turnstile" else f"{name}/{strategy}")
    if not seen and not bare and not peers:
        sys.exit("no rows")
    if needed - bare:
        sys.exit(f"there are no rows of {sorted(needed - bare)}")
    for what, found, wanted in (("Turnstile", seen, expected), ("peers", peers, expected_peers)):
        if found != wanted.split():
            sys.exit(f"rows of {what}: {found}, expected: {wanted.split()}")


main(*sys.argv[1:])
