// SPDX-License-Identifier: BSL-1.0
// All rows as a table, and what is known of the files.

const first_columns = ["scenario", "strategy", "version", "lock", "permits", "parts", "waiters", "sessions", "inflight",
    "cold", "count", "p50_us", "p90_us", "p99_us", "max_us", "ratio_to_bare_client", "p99_ratio_to_bare_client", "ratio_to_turnstile",
    "per_s", "requests_per_acquire", "waiters_woken_per_release", "watch_events_per_release", "bytes_received_per_acquire", "bytes_sent_per_acquire",
    "bytes_per_waiter", "line_up_s", "drain_s", "threads"];
const only_drawn = ["quantiles_us", "blocks"];

function cell_text(value) {
    if (value === undefined || value === null)
        return "";
    if (typeof value === "number")
        return format_number(value);
    if (typeof value === "object")
        return Object.entries(value).map(([name, part]) => `${name} ${cell_text(part)}`).join(", ");
    return String(value);
}

/// The known columns first, then whatever else the rows have.
function columns_of(rows) {
    const present = new Set(rows.flatMap(row => Object.keys(row)));
    const known = first_columns.filter(name => present.has(name));
    return [...known, ...[...present].filter(name => !known.includes(name) && !only_drawn.includes(name))];
}

/// A long name may break at its underscores.
function heading(name) {
    if (name.length < 12)
        return [name];
    return name.split(/(?<=_)/).flatMap((part, place) => place > 0 ? [document.createElement("wbr"), part] : [part]);
}

function fill_table(table, files) {
    const several = files.length > 1;
    const rows = files.flatMap(({file, rows}) => rows.map(row => several ? {...row, file} : row));
    const columns = columns_of(rows);
    const is_text = name => rows.some(row => row[name] !== undefined && typeof row[name] !== "number");
    const root = d3.select(table);
    root.append("thead").append("tr").selectAll("th").data(columns).join("th").attr("scope", "col")
        .attr("data-column", name => name).classed("text", is_text)
        .each(function (name) { this.append(...heading(name)); });
    const lines = root.append("tbody").selectAll("tr").data(rows).join("tr")
        .classed("turnstile", row => row.strategy === "turnstile").classed("bare", is_bare_client)
        .classed("group", (row, place) => place > 0 && row.scenario !== rows[place - 1].scenario);
    lines.selectAll("td").data(row => columns.map(name => ({name, value: row[name]}))).join("td")
        .classed("text", cell => is_text(cell.name)).classed("long", cell => cell_text(cell.value).length > 26)
        .attr("data-column", cell => cell.name)
        .attr("data-value", cell => typeof cell.value === "number" ? cell.value : null)
        .text(cell => cell_text(cell.value));
}

/// Those of the peers, which their rows have.
function versions_in(rows) {
    return new Map(rows.filter(row => row.version).map(row => [row.strategy, row.version]));
}

function fill_about(section, files) {
    for (const {file, rows, about} of files) {
        const part = d3.select(section).append("div").attr("data-file", file);
        part.append("h3").text(`${file}: ${rows.length} rows`);
        if (!about) {
            const missing = `${file.replace(/\.json$/, "")}.about.json`;
            part.append("p").text(`Nothing is known of this run: there was no ${missing} beside it.`);
            continue;
        }
        const facts = [["date", about.date], ...Object.entries(about.machine || {}), ...Object.entries(about.versions || {}),
            ...versions_in(rows)];
        const lines = part.append("div").attr("class", "box").append("table").append("tbody")
            .selectAll("tr").data(facts.filter(([, value]) => value)).join("tr");
        lines.append("th").attr("scope", "row").text(([name]) => name);
        lines.append("td").text(([, value]) => value);
        part.append("pre").attr("class", "box").attr("tabindex", 0).text(about.command || "");
    }
}
