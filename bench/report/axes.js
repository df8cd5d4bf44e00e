// SPDX-License-Identifier: BSL-1.0
// Axes of a chart, and where their lines stand.

/// Powers of ten, and 2 and 5 times such where there are few of them.
function log_ticks([low, high]) {
    const decades = Math.log10(high / low);
    const steps = decades > 2.2 ? [1] : decades > 0.8 ? [1, 2, 5] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
        for (const step of steps) {
            const tick = Number((step * 10 ** power).toPrecision(3));
            if (tick >= low && tick <= high)
                ticks.push(tick);
        }
    return ticks;
}

/// The values' own range, and some room around it.
function padded([low, high], log) {
    if (!log)
        return [low - 0.12 * (high - low || 1), high + 0.12 * (high - low || 1)];
    const room = Math.max(1.15, (high / low) ** 0.06);
    return [low / room, high * room];
}

/// A scale for one side of a chart: {log, values, range}, and perhaps `include`, values that are to be seen in any case.
function scale_for(side) {
    const domain = side.domain || padded(d3.extent([...side.values, ...(side.include || [])]), side.log);
    return (side.log ? d3.scaleLog() : d3.scaleLinear()).domain(domain).range(side.range);
}

/// Grid lines, labels and titles of both sides; the title of y stands above it, as people read.
function draw_axes(svg, chart, x, y, box) {
    const x_ticks = chart.x.ticks || (chart.x.log ? log_ticks(x.domain()) : x.ticks(6));
    const y_ticks = chart.y.log ? log_ticks(y.domain()) : y.ticks(6);
    const grid = svg.append("g").attr("class", "grid");
    grid.selectAll("line.y").data(y_ticks).join("line")
        .attr("x1", box.left).attr("x2", box.right).attr("y1", y).attr("y2", y);
    grid.selectAll("line.x").data(x_ticks).join("line")
        .attr("x1", x).attr("x2", x).attr("y1", box.top).attr("y2", box.bottom);
    svg.append("g").attr("class", "axis x").attr("transform", `translate(0,${box.bottom})`)
        .call(d3.axisBottom(x).tickValues(x_ticks).tickFormat(chart.x.format).tickSizeOuter(0));
    svg.append("g").attr("class", "axis y").attr("transform", `translate(${box.left},0)`)
        .call(d3.axisLeft(y).tickValues(y_ticks).tickFormat(chart.y.format).tickSizeOuter(0));
    svg.append("text").attr("class", "axis-title").attr("x", (box.left + box.right) / 2)
        .attr("y", box.bottom + 40).attr("text-anchor", "middle").text(chart.x.title);
    svg.append("text").attr("class", "axis-title").attr("x", 2).attr("y", 14).text(chart.y.title);
}
