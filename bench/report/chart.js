// SPDX-License-Identifier: BSL-1.0
// One chart: a curve for each series, a point for each row or quantile.

/// What the rows say of x, where the chart shows something else: the axis of shares is stretched.
const said_x = point => point.share === undefined ? point.x : point.share;

/// The points of one curve. Of several runs with the same x the curve takes the median.
function curve_of(points) {
    return [...grouped_by(points, said_x)].map(([, some]) => ({x: d3.median(some, point => point.x),
        y: d3.median(some, point => point.y)})).sort((a, b) => a.x - b.x);
}

/// Moves labels apart, and keeps them within the box.
function spread_out(labels, height, top, bottom) {
    labels.sort((a, b) => a.y - b.y);
    let free = top;
    for (const label of labels) {
        label.y = Math.max(label.y, free);
        free = label.y + height;
    }
    let end = bottom;
    for (const label of [...labels].reverse()) {
        label.y = Math.min(label.y, end);
        end = label.y - height;
    }
}

/// Titles at the right of the curves, each with a thin line to its curve's end.
function draw_labels(groups, x, y, box) {
    const labels = groups.data().map(series => {
        const end = series.curve[series.curve.length - 1];
        return {series, end, y: y(end.y)};
    });
    spread_out(labels, 16, box.top + 6, box.bottom - 2);
    const label_of = series => labels.find(label => label.series === series);
    groups.append("line").attr("class", "leader").each(function (series) {
        const {end, y: at} = label_of(series);
        d3.select(this).attr("x1", x(end.x) + 7).attr("y1", y(end.y)).attr("x2", box.right + 12).attr("y2", at);
    });
    groups.append("text").attr("class", "label").attr("x", box.right + 16)
        .attr("y", series => label_of(series).y + 4).text(series => series.look.title);
}

function draw_reference(svg, chart, y, box) {
    const at = y(chart.y.reference);
    const group = svg.append("g").attr("class", "reference").attr("data-reference", chart.y.reference);
    group.append("line").attr("x1", box.left).attr("x2", box.right).attr("y1", at).attr("y2", at);
    group.append("text").attr("class", "label").attr("x", box.left + 8).attr("y", at - 7).text(chart.y.reference_title);
}

function draw_series(groups, x, y) {
    groups.append("path").attr("class", "curve")
        .attr("d", series => d3.line().x(point => x(point.x)).y(point => y(point.y))(series.curve));
    groups.selectAll("line.spread").data(series => series.points.filter(point => point.spread)).join("line")
        .attr("class", "spread").attr("x1", point => x(point.x)).attr("x2", point => x(point.x))
        .attr("y1", point => y(point.spread[0])).attr("y2", point => y(point.spread[1]));
    const points = groups.selectAll("path.point").data(series => series.points.map(point => ({...point, series})))
        .join("path").attr("class", "point")
        .attr("data-x", said_x).attr("data-y", point => point.y)
        .attr("transform", point => `translate(${x(point.x)},${y(point.y)})`)
        .attr("d", point => symbol_path(point.series.look, point.series.size));
    points.append("title").text(point => point.text);
}

/// Draws the chart anew for the figure's width. `chart`: id, title, note, points, x and y (log, title, format, and perhaps
/// domain, include, ticks, reference), strategies (all of the page, for their looks), legend ("own", "none").
function draw_chart(figure, chart) {
    d3.select(figure).selectAll("svg, ul").remove();
    const width = Math.max(240, figure.clientWidth - 2 * parseFloat(getComputedStyle(figure).paddingLeft));
    const labelled = chart.legend === "own" && width >= 520;
    const height = chart.wide && width > 700 ? 440 : chart.wide ? 360 : 300;
    const box = {left: 66, right: width - (labelled ? 178 : 16), top: 30, bottom: height - 48};
    const svg = d3.select(figure).append("svg").attr("viewBox", `0 0 ${width} ${height}`)
        .attr("role", "img").attr("aria-label", chart.title);

    const present = chart.strategies.filter(name => chart.points.some(point => point.strategy === name));
    const series = present.map(name => {
        const points = chart.points.filter(point => point.strategy === name);
        return {name, points, curve: curve_of(points), look: look_of(name, chart.strategies),
            size: chart.small_points ? 14 : chart.wide ? 64 : 40};
    });
    const within = chart.points.flatMap(point => point.spread ? [point.y, ...point.spread] : [point.y]);
    const x = scale_for({...chart.x, values: chart.points.map(point => point.x), range: [box.left, box.right]});
    const y = scale_for({...chart.y, values: within, range: [box.bottom, box.top]});

    draw_axes(svg, chart, x, y, box);
    if (chart.y.reference !== undefined)
        draw_reference(svg, chart, y, box);
    const groups = svg.append("g").selectAll("g").data(series).join("g")
        .attr("class", each => `series ${each.look.style}`).attr("data-series", each => each.name);
    if (labelled)
        draw_labels(groups, x, y, box);
    draw_series(groups, x, y);
    if (chart.legend === "own" && !labelled)
        fill_legend(d3.select(figure).append("ul").attr("class", "legend").node(), present, chart.strategies);
}
