// SPDX-License-Identifier: BSL-1.0
// Which charts are drawn, and of which rows.

const is_number = value => typeof value === "number" && Number.isFinite(value);
const is_bare_client = row => row.strategy === "bare-client" || row.strategy === "bare-client-redirected";
const is_ours = row => row.strategy === "turnstile" || is_bare_client(row);
/// Another way to wait has its own kind of lock, and is compared with the mutex.
const lock_of = row => is_ours(row) && row.lock || "mutex";

/// Lists of those with the same key, in the order of their first.
function grouped_by(items, key) {
    const lists = new Map();
    for (const item of items)
        lists.set(key(item), [...(lists.get(key(item)) || []), item]);
    return lists;
}

/// What else tells a row from others, for the text at its point.
function text_of(row, figure) {
    const known = ["scenario", "lock", "waiters", "sessions", "inflight", "count"].filter(name => row[name] !== undefined)
        .map(name => `${name} ${typeof row[name] === "number" ? grouped(row[name]) : row[name]}`);
    return [`${row.strategy}: ${figure}`, ...known].join("\n");
}

/// A point for each row that has both figures; its spread are the quartiles of the blocks.
function points_of(rows, x, y, format) {
    return rows.filter(row => row[x] > 0 && row[y] > 0 && is_number(row[x]) && is_number(row[y])).map(row => {
        const blocks = ((row.blocks || {})[y] || []).filter(is_number).sort(d3.ascending);
        const spread = blocks.length < 3 ? undefined : [d3.quantile(blocks, 0.25), d3.quantile(blocks, 0.75)];
        return {strategy: row.strategy, x: row[x], y: row[y], spread, text: text_of(row, format(row[y]))};
    });
}

/// A block has too few samples for its 99th percentile to say something.
const without_spread = point => ({...point, spread: undefined});

const waiters_axis = {log: true, title: "waiters in line (logarithmic)", format: value => grouped(value)};
const time_axis = title => ({log: true, title, format: format_us});

/// Over several sessions, on connections in use.
function hand_offs(rows, lock) {
    return rows.filter(row => row.scenario === "wakeup" && row.sessions !== 1 && !row.cold && lock_of(row) === lock);
}

function hand_off_charts(rows) {
    const line = hand_offs(rows, "mutex");
    const charts = [
        {id: "hand-off", wide: true, title: "Hand-off time over the length of the line, median",
            note: "Lower is better. Both axes are logarithmic; the dashed line is the bare client.",
            points: points_of(line, "waiters", "p50_us", format_us), x: waiters_axis, y: time_axis("hand-off, p50")},
        {id: "hand-off-p99", title: "Hand-off time, 99th percentile", note: "One hand-off in a hundred takes longer.",
            points: points_of(line, "waiters", "p99_us", format_us).map(without_spread), x: waiters_axis, y: time_axis("hand-off, p99")},
        {id: "ratio", title: "How near to the bare client",
            note: "Median over the bare client's median of the same run.",
            points: points_of(line.filter(is_ours), "waiters", "ratio_to_bare_client", format_number),
            x: waiters_axis,
            y: {title: "times the bare client", format: format_number, include: [1], reference: 1,
                reference_title: "the bare client"}},
    ];
    const locks = new Set(rows.filter(row => row.scenario === "wakeup" && !is_bare_client(row)).map(lock_of));
    locks.delete("mutex");
    for (const lock of locks)
        charts.push({id: `hand-off-${lock}`, title: `Hand-off with another kind of lock: ${lock}`,
            note: "Median, and the bare client with the same requests.",
            points: points_of(hand_offs(rows, lock), "waiters", "p50_us", format_us),
            x: waiters_axis, y: time_axis("hand-off, p50"), least_places: 2});
    return charts;
}

function traffic_charts(rows) {
    const line = hand_offs(rows, "mutex");
    return [
        {id: "bytes", wide: true, title: "Bytes that clients receive for each acquire",
            note: "Lower is better. Who lists all waiters receives more the longer the line is.",
            points: points_of(line, "waiters", "bytes_received_per_acquire", format_bytes), x: waiters_axis,
            y: {log: true, title: "received per acquire", format: format_bytes}},
        {id: "events", title: "Clients woken by a release", note: "Watch events that the server sends for each release, without the releaser's own.",
            points: points_of(line, "waiters", "waiters_woken_per_release", format_number), x: waiters_axis,
            y: {log: true, title: "woken per release", include: [1, 10], format: format_number}},
        {id: "requests", title: "Requests for each acquire and release", note: "Packets that the server receives.",
            points: points_of(line, "waiters", "requests_per_acquire", format_number), x: waiters_axis,
            y: {log: true, title: "requests per acquire", include: [1, 10], format: format_number}},
        {id: "throughput", title: "Locks taken per second", note: "Over the acquires under way at once. Higher is better.",
            points: points_of(rows, "inflight", "per_s", format_number),
            x: {log: true, title: "acquires under way at once (logarithmic)", format: grouped},
            y: {log: true, title: "per second", format: format_number}},
        {id: "memory", title: "Memory of a waiter", note: "Resident memory of the client process.",
            points: points_of(rows, "waiters", "bytes_per_waiter", format_bytes), x: waiters_axis,
            y: {log: true, title: "per waiter", format: format_bytes}},
    ];
}

const distribution_titles = {
    "uncontended": "Acquire and release of a free lock",
    "uncontended-acquire": "Acquire of a free lock",
    "wakeup": "Hand-off",
};

function distribution_title(row) {
    const parts = [distribution_titles[row.scenario]];
    if (row.waiters !== undefined)
        parts.push(`${grouped(row.waiters)} waiters`);
    if (row.scenario === "wakeup" && row.sessions === 1)
        parts.push("all of one session");
    else if (row.scenario === "wakeup" && row.sessions > 10)
        parts.push(`${grouped(row.sessions)} sessions`);
    if (lock_of(row) !== "mutex")
        parts.push(lock_of(row));
    if (row.cold)
        parts.push("after a rest");
    return parts.join(", ");
}

/// The axis of shares is one of 1 / (1 - share). The slowest sample stands where the next finer share would.
function quantile_points(row) {
    const pairs = row.quantiles_us.filter(([share, us]) => share >= 0 && share <= 1 && us > 0);
    return pairs.map(([share, us]) => ({strategy: row.strategy, x: 1 / (1 - Math.min(share, 1 - 0.5 / Math.max(row.count, 1))),
        share, y: us, text: text_of(row, `${format_share(share)} took at most ${format_us(us)}`)}));
}

function distribution_charts(rows) {
    const shown = rows.filter(row => row.scenario in distribution_titles && (row.quantiles_us || []).length > 1);
    const panels = [...grouped_by(shown, distribution_title)].filter(([, some]) => some.some(row => !is_bare_client(row)));
    const shares = [0.5, 0.9, 0.99, 0.999, 0.9999];
    return panels.map(([title, some], place) => {
        const points = some.flatMap(quantile_points);
        const last = d3.max(points, point => point.x);
        return {id: `distribution-${place}`, title, points, legend: "none", small_points: true,
            x: {log: true, title: "share of samples; the slowest is the last", domain: [1, last * 1.15],
                ticks: shares.map(share => 1 / (1 - share)).filter(tick => tick <= last * 1.01),
                format: tick => format_share(1 - 1 / tick)},
            y: time_axis("took at most")};
    });
}
