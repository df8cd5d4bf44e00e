// SPDX-License-Identifier: BSL-1.0
// Puts the page together.

/// What a chart's curve of Turnstile says: points of x and y.
function own_curve(charts, id) {
    const chart = charts.find(each => each.id === id);
    return curve_of(chart.points.filter(point => point.strategy === "turnstile"));
}

/// Turnstile's own figures in short: {value, text}, those that the charts of hand-offs show.
function in_short(rows, charts) {
    const ours = rows.filter(row => row.strategy === "turnstile" && lock_of(row) === "mutex" && !row.cold);
    const median = (some, name) => d3.median(some.filter(row => is_number(row[name])), row => row[name]);
    const found = [];
    const add_time = (us, ratio, text, waiters) => {
        if (us > 0)
            found.push({us, waiters, value: format_us(us),
                text: text + (ratio > 0 ? `; ${format_number(ratio)} times the bare client's` : "")});
    };
    const free = ours.filter(row => row.scenario === "uncontended");
    add_time(median(free, "p50_us"), median(free, "ratio_to_bare_client"), "to take and release a free lock, median");
    const times = own_curve(charts, "hand-off");
    const ratios = own_curve(charts, "ratio");
    for (const {x, y} of new Set([times[0], times[times.length - 1]].filter(Boolean)))
        add_time(y, (ratios.find(ratio => ratio.x === x) || {}).y, `to hand it on with ${grouped(x)} in line, median`, x);
    if (median(free, "requests_per_acquire") > 0)
        found.push({value: format_number(median(free, "requests_per_acquire")),
            text: "requests to take and release a free lock"});
    return found;
}

function origin_of(files) {
    const known = files.map(file => file.about).filter(Boolean);
    if (known.length === 0)
        return "Made by turnstile-bench report.";
    const several = name => [...new Set(known.map(about => (name(about) || "").trim()))].filter(Boolean).join("; ");
    return [several(about => (about.versions || {}).Turnstile && `Turnstile ${about.versions.Turnstile}`),
        several(about => about.date), several(about => (about.machine || {}).processor &&
            `${about.machine.processor}, ${about.machine.cores} cores`)].filter(Boolean).join(" · ");
}

function show_section(id, charts, strategies) {
    const section = document.getElementById(id);
    const shown = charts.filter(chart =>
        new Set(chart.points.map(point => point.x)).size >= (chart.least_places || 1));
    section.hidden = shown.length === 0;
    const figures = d3.select(section).select(".charts").selectAll("figure").data(shown).join("figure")
        .attr("id", chart => chart.id).classed("wide", chart => chart.wide);
    const captions = figures.append("figcaption").text(chart => chart.title);
    captions.filter(chart => chart.note).append("small").text(chart => chart.note);
    const legend = section.querySelector("[data-legend]");
    if (legend)
        fill_legend(legend, strategies.filter(name =>
            shown.some(chart => chart.points.some(point => point.strategy === name))), strategies);
    return () => figures.each(function (chart) { draw_chart(this, {legend: "own", ...chart, strategies}); });
}

function show_report(files) {
    const rows = files.flatMap(file => file.rows);
    const strategies = strategies_in(rows);
    document.getElementById("origin").textContent = origin_of(files);
    const of_hand_offs = hand_off_charts(rows);
    const items = d3.select("#in-short").selectAll("li").data(in_short(rows, of_hand_offs)).join("li");
    items.attr("data-us", item => item.us).attr("data-waiters", item => item.waiters);
    items.append("strong").text(item => item.value);
    items.append("span").text(item => item.text);
    const sections = [
        show_section("charts-hand-off", of_hand_offs, strategies),
        show_section("charts-traffic", traffic_charts(rows), strategies),
        show_section("charts-distribution", distribution_charts(rows), strategies)];
    fill_strategies(document.querySelector("#strategies dl"), strategies);
    fill_table(document.getElementById("all-rows"), files);
    fill_about(document.getElementById("about"), files);

    const draw = () => sections.forEach(section => section());
    draw();
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
        if (window.innerWidth !== width)
            draw();
        width = window.innerWidth;
    });
}
