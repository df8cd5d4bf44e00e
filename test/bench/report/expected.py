# SPDX-License-Identifier: BSL-1.0
"""Which charts a report has to have, and with which points: read from the rows alone, not from the page's code."""

import statistics

titles = {
    "uncontended": "Acquire and release of a free lock",
    "uncontended-acquire": "Acquire of a free lock",
    "wakeup": "Hand-off",
}


def is_bare_client(row):
    return row["strategy"].startswith("bare-client")


def is_ours(row):
    return row["strategy"] == "turnstile" or is_bare_client(row)


def lock_of(row):
    """Whatever lock another way to wait has, it is compared with the mutex."""
    return row.get("lock", "mutex") if is_ours(row) else "mutex"


def hand_offs(rows, lock):
    """Along a line over several sessions, warm."""
    return [row for row in rows if row["scenario"] == "wakeup" and row.get("sessions") != 1 and not row.get("cold")
            and lock_of(row) == lock]


def points(rows, x, y):
    """{series: sorted (x, y)}"""
    result = {}
    for row in rows:
        if (row.get(x) or 0) > 0 and (row.get(y) or 0) > 0:
            result.setdefault(row["strategy"], []).append((row[x], row[y]))
    return {name: sorted(pairs) for name, pairs in result.items()}


def distribution_title(row):
    parts = [titles[row["scenario"]]]
    if "waiters" in row:
        parts.append(f"{row['waiters']:,} waiters")
    if row["scenario"] == "wakeup" and row.get("sessions") == 1:
        parts.append("all of one session")
    elif row["scenario"] == "wakeup" and row.get("sessions", 1) > 10:
        parts.append(f"{row['sessions']:,} sessions")
    if lock_of(row) != "mutex":
        parts.append(lock_of(row))
    if row.get("cold"):
        parts.append("after a rest")
    return ", ".join(parts)


def distributions(rows):
    """{title: {series: sorted (share, us)}}"""
    groups = {}
    for row in rows:
        if row["scenario"] in titles and len(row.get("quantiles_us", [])) > 1:
            groups.setdefault(distribution_title(row), []).append(row)
    result = {}
    for title, some in groups.items():
        if all(is_bare_client(row) for row in some):
            continue
        for row in some:
            result.setdefault(title, {}).setdefault(row["strategy"], []).extend(tuple(pair) for pair in row["quantiles_us"])
    return {title: {name: sorted(pairs) for name, pairs in series.items()} for title, series in result.items()}


def charts(rows):
    """{id: {series: points}} of all but the distributions"""
    line = hand_offs(rows, "mutex")
    ours = [row for row in line if is_ours(row)]
    result = {
        "hand-off": points(line, "waiters", "p50_us"),
        "hand-off-p99": points(line, "waiters", "p99_us"),
        "ratio": points(ours, "waiters", "ratio_to_bare_client"),
        "bytes": points(line, "waiters", "bytes_received_per_acquire"),
        "events": points(line, "waiters", "waiters_woken_per_release"),
        "requests": points(line, "waiters", "requests_per_acquire"),
        "throughput": points(rows, "inflight", "per_s"),
        "memory": points(rows, "waiters", "bytes_per_waiter"),
    }
    for lock in {lock_of(row) for row in rows} - {"mutex"}:
        some = hand_offs(rows, lock)
        if len({row["waiters"] for row in some}) >= 2 and not all(map(is_bare_client, some)):
            result[f"hand-off-{lock}"] = points(some, "waiters", "p50_us")
    return {name: series for name, series in result.items() if series}


def tiles(rows):
    """(waiters, us) of the times at the top: a free lock, the shortest line and the longest"""
    def median(some):
        return statistics.median(row["p50_us"] for row in some)

    ours = [row for row in rows if row["strategy"] == "turnstile" and lock_of(row) == "mutex" and not row.get("cold")]
    free = [row for row in ours if row["scenario"] == "uncontended"]
    line = hand_offs(ours, "mutex")
    lengths = sorted({row["waiters"] for row in line})
    return [(None, median(some)) for some in [free] if some] + [
        (n, median([row for row in line if row["waiters"] == n])) for n in dict.fromkeys(lengths[:1] + lengths[-1:])]
