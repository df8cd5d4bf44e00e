// SPDX-License-Identifier: BSL-1.0
// Numbers as text.

const grouped = d3.format(",");

/// Such as 1,234, 56.7 or 0.089: no more digits than count.
function format_number(value) {
    const size = Math.abs(value);
    if (Number.isInteger(value) || size >= 100)
        return d3.format(",.0f")(value);
    return d3.format(size >= 10 ? ".1f" : size >= 1 ? ".2f" : ".3~g")(value);
}

function in_steps(value, step, units) {
    let unit = 0;
    while (unit + 1 < units.length && Math.abs(value) >= step) {
        value /= step;
        ++unit;
    }
    return `${d3.format(".3~r")(value)}\u00a0${units[unit]}`;
}

const format_us = value => in_steps(value, 1000, ["µs", "ms", "s"]);
const format_bytes = value => in_steps(value, 1000, ["B", "kB", "MB", "GB"]);

/// 0.99 becomes "99 %".
function format_share(share) {
    return `${Number((share * 100).toPrecision(8))}\u00a0%`;
}
