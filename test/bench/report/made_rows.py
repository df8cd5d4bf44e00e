#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""made_rows.py FOLDER: rows of all strategies, made up, for the test of the report.

They look as the suite's: a herd costs more with each waiter, Turnstile and the bare client do not. Besides there are rows of a
scenario that no chart knows, of a second run, and names that would be markup if they were not escaped.
"""
import json
import math
import pathlib
import sys

hostile = "</script><script>document.title='taken'</script><img src=http://127.0.0.1:9/x>{{data}}"

# p50 in us with n waiters, bytes received and watch events per acquire
strategies = {
    "turnstile": (lambda n: 118 * n**-0.02, lambda n: 190, lambda n: 0.9),
    "bare-client": (lambda n: 104 * n**-0.02, lambda n: 80, lambda n: 1),
    "bare-client-redirected": (lambda n: 99 * n**-0.02, lambda n: 80, lambda n: 1),
    "herd-exclusive": (lambda n: 90 + 30 * n, lambda n: 60 * n + 150, lambda n: n),
    "herd-shared": (lambda n: 85 + 24 * n, lambda n: 64 * n + 140, lambda n: n),
    "herd-single-node": (lambda n: 130 + 18 * n, lambda n: 40 * n + 90, lambda n: n),
    "listing": (lambda n: 190 + 0.9 * n, lambda n: 42 * n + 200, lambda n: 1),
    "curator": (lambda n: 420 + 1.4 * n, lambda n: 58 * n + 260, lambda n: 1),
    "java-write-lock": (lambda n: 510 + 1.6 * n, lambda n: 61 * n + 420, lambda n: 1),
    "kazoo": (lambda n: 900 + 3.1 * n, lambda n: 66 * n + 380, lambda n: 1),
    "etcd": (lambda n: 700 + 0.05 * n, lambda n: 450, lambda n: 1),
}

locks = {"herd-shared": "shared", "herd-single-node": "single-node"}


def quantiles(p50, count):
    shares = [i / 20 for i in range(20)] + [s for s, least in ((0.99, 100), (0.999, 1000), (0.9999, 10000)) if count >= least]
    us = [p50 * (0.8 + 0.4 * s + 0.12 * math.log10(1 / (1 - s)) ** 2.2) for s in shares]
    return [[s, round(v, 3)] for s, v in zip(shares, us)] + [[1.0, round(us[-1] * 1.9, 3)]]


def timed(row, p50, bare=None, count=1000):
    drift = [0.9, 0.95, 0.97, 1.0, 1.0, 1.02, 1.04, 1.06, 1.1, 1.3]
    pairs = quantiles(p50, count)
    at = dict(map(tuple, pairs))
    row |= {"count": count, "p50_us": at[0.5], "p90_us": at[0.9], "p99_us": at[0.99], "max_us": at[1.0]}
    row |= {"quantiles_us": pairs, "blocks": {"p50_us": [at[0.5] * d for d in drift]}}
    if bare:
        row["ratio_to_bare_client"] = p50 / bare
        row["blocks"]["ratio_to_bare_client"] = [p50 / bare * (0.98 + 0.005 * i) for i in range(10)]
    return row


def hand_off(strategy, waiters, sessions=10, factor=1.0, **more):
    p50, received, events = strategies[strategy]
    row = {"scenario": "wakeup", "strategy": strategy, "lock": locks.get(strategy, "mutex"), "waiters": waiters,
           "sessions": sessions, **more}
    beside = strategy in ("turnstile", "bare-client-redirected")
    timed(row, p50(waiters) * factor, strategies["bare-client"][0](waiters) * factor if beside else None)
    if not strategy.startswith("bare-client"):
        row |= {"requests_per_acquire": 2.1, "waiters_woken_per_release": events(waiters),
                "watch_events_per_release": events(waiters) + (strategy == "turnstile"),
                "bytes_received_per_acquire": received(waiters), "line_up_s": waiters / 4000, "drain_s": 0.1}
    return row


def free(strategy):
    us = {"turnstile": 194.0, "bare-client": 173.0, "bare-client-redirected": 168.0, "curator": 610.0, "kazoo": 1450.0}[strategy]
    row = {"scenario": "uncontended", "strategy": strategy, "lock": "mutex", "sessions": 1}
    timed(row, us, 173.0 if strategy in ("turnstile", "bare-client-redirected") else None, 10000)
    return row | ({} if strategy.startswith("bare-client") else {"requests_per_acquire": 2.02})


def first_file():
    rows = [free(s) for s in ("turnstile", "bare-client", "bare-client-redirected", "curator", "kazoo")]
    rows += [hand_off(s, 10000, 1) for s in ("turnstile", "bare-client", "bare-client-redirected")]
    for strategy in strategies:
        rows += [hand_off(strategy, n) for n in (10, 100, 1000, 10000) if n < 10000 or "herd" not in strategy]
    rows += [hand_off("bare-client", n, lock="shared") for n in (10, 100)]  # measured beside herd-shared
    rows += [hand_off(s, n, lock="readers", factor=0.7) for s in ("turnstile", "bare-client") for n in (10, 100)]
    rows.append(hand_off("turnstile", 100, cold=True, factor=1.3))
    rows += [{"scenario": "throughput", "strategy": s, "inflight": n, "count": 1000, "per_s": 4000 * n / (1 + n / r)}
             for s, r in (("turnstile", 12), ("bare-client", 14)) for n in (1, 10, 100)]
    rows += [{"scenario": "memory", "strategy": "turnstile", "waiters": n, "count": 1, "bytes_per_waiter": 1400 + 90000 / n}
             for n in (100, 1000, 10000)]
    rows += [{"scenario": "cost", "strategy": "turnstile", "count": 2000, "system_calls": {"sendto": 4.0, "poll": 2.0}}]
    return rows


def second_file():
    rows = [hand_off("turnstile", 100, factor=1.05), hand_off("bare-client", 100, factor=1.04)]
    rows += [{"scenario": "unknown scenario", "strategy": hostile, "waiters": 7, "count": 3, "p50_us": 12.5, "new_figure": 0.25}]
    return rows


about = {
    "command": "turnstile-bench suite --quick --json 'a file.json'", "date": "2026-01-02 03:04 UTC",
    "machine": {"processor": "A processor with a long name @ 2.00GHz", "cores": "2", "memory": "23.5 GiB",
                "kernel": "Linux 6.1.0 x86_64", "system": "Debian GNU/Linux 12"},
    "versions": {"Turnstile": "0.2.0, commit 0123456789ab", "compiler": "GNU 12.2.0, Release", "ZooKeeper server": "3.8.0"},
}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    (folder / "first.json").write_text(json.dumps(first_file(), indent=2))
    (folder / "first.about.json").write_text(json.dumps(about))
    (folder / "second.json").write_text(json.dumps(second_file(), indent=2))
