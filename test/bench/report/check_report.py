#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""check_report.py REPORT.html ROWS.json... [-- REPORT.html ROWS.json...]: opens each report in Chromium and compares what is
drawn with the rows.

In light and dark, wide and on a phone: each chart has the series and points of the rows, where its axes say; the tiles at the
top say what the charts show; each strategy is explained; the table has all rows, those of the bare client folded; nothing is
cut off or lies on something else; nothing is loaded.
"""
import itertools
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench/report"))

import expected
from browser import Browser

phone = 390
faults = []

what_is_drawn = """
const number = (node, name) => Number(node.getAttribute(name));
const place = node => node.getAttribute("transform").match(/[-\\d.]+(e-?\\d+)?/g).map(Number);
const rectangle = node => { const r = node.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
const figures = [...document.querySelectorAll("figure")].filter(figure => figure.offsetParent).map(figure => ({
    id: figure.id,
    title: figure.querySelector("figcaption").firstChild.textContent,
    box: rectangle(figure.querySelector(":scope > svg")),
    series: [...figure.querySelectorAll("[data-series]")].map(group => ({
        name: group.dataset.series,
        width: parseFloat(getComputedStyle(group.querySelector(".curve")).strokeWidth),
        dashes: getComputedStyle(group.querySelector(".curve")).strokeDasharray,
        ink: getComputedStyle(group.querySelector(".curve")).stroke,
        label: (group.querySelector("text.label") || {}).textContent,
        points: [...group.querySelectorAll(".point")].map(point => [number(point, "data-x"), number(point, "data-y"),
            ...place(point)]),
    })),
    ticks: [...figure.querySelectorAll(".axis.x .tick")].map(tick => [tick.textContent, place(tick)[0]]),
    x_ticks: [...figure.querySelectorAll(".axis.x .tick text")].map(rectangle),
    texts: [...figure.querySelectorAll(":scope > svg text")].map(text => [text.textContent, rectangle(text)]),
    labels: [...figure.querySelectorAll("text.label")].map(text => [text.textContent, rectangle(text)]),
    legend: [...figure.querySelectorAll(".legend li")].map(item => item.textContent),
}));
const cells = [...document.querySelectorAll("#all-rows tbody tr")].map(line => Object.fromEntries(
    [...line.cells].map(cell => [cell.dataset.column, [cell.dataset.value, cell.textContent]])));
const style = getComputedStyle(document.body);
const tiles = [...document.querySelectorAll("#in-short li[data-us]")].map(tile => [
    tile.dataset.waiters ? Number(tile.dataset.waiters) : null, number(tile, "data-us"), tile.textContent]);
const strategies = [...document.querySelectorAll("#strategies dt")].map(name => [name.dataset.strategy,
    name.nextElementSibling.textContent]);
const hidden = [...document.querySelectorAll("#all-rows tbody tr")].map(line => line.offsetParent === null);
return {figures, cells, tiles, strategies, hidden, title: document.title, foreign: document.querySelectorAll("img, iframe, link, object").length,
    scripts: document.scripts.length, ink: style.color, page: style.backgroundColor,
    files: [...document.querySelectorAll("#about [data-file]")].map(part => part.textContent),
    width: document.documentElement.scrollWidth, shown: window.innerWidth};
"""


def expect(true, what):
    if not true:
        faults.append(what)


def luminance(color):
    parts = [float(part) / 255 for part in color[color.index("(") + 1:-1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def overlap(one, other):
    return one[0] < other[2] - 1 and other[0] < one[2] - 1 and one[1] < other[3] - 2 and other[1] < one[3] - 2


def check_line(pairs, what):
    """The pairs of a value on the axis and its place lie on one straight line."""
    (first, start), (last, end) = min(pairs), max(pairs)
    for value, at in pairs:
        part = (value - first) / (last - first) if last > first else 0
        expect(abs(start + part * (end - start) - at) < 0.6, f"{what}: {value} is drawn at {at:.1f}")


def check_places(figure, shares, where):
    """Points and the labels of the axis stand where a logarithmic scale has them; the ratio's y is linear."""
    drawn = [point for series in figure["series"] for point in series["points"]]
    if shares:
        x = [(-math.log10(1 - share), at) for share, _, at, _ in drawn if share < 1]
        x += [(-math.log10(1 - float(label[:-1]) / 100), at) for label, at in figure["ticks"]]
        for series in figure["series"]:
            rest = [at for share, _, at, _ in series["points"] if share < 1]
            expect(all(at > max(rest) for share, _, at, _ in series["points"] if share == 1),
                   f"{where}: the slowest of {series['name']} is not at the end")
    else:
        x = [(math.log10(value), at) for value, _, at, _ in drawn]
        x += [(math.log10(float(label.replace(",", ""))), at) for label, at in figure["ticks"]]
    check_line(x, f"{where}, x")
    check_line([(-value if figure["id"] == "ratio" else -math.log10(value), at) for _, value, _, at in drawn], f"{where}, y")


def check_looks(figure, page, wide, where):
    series = {each["name"]: each for each in figure["series"]}
    if "turnstile" in series and len(series) > 1:
        expect(series["turnstile"]["width"] > max(each["width"] for name, each in series.items() if name != "turnstile"),
               f"{where}: Turnstile does not stand out")
    if "bare-client" in series:
        expect(series["bare-client"]["dashes"] != "none", f"{where}: the bare client is not dashed")
    for each in figure["series"]:
        expect(contrast(each["ink"], page) >= 3, f"{where}: {each['name']} is hard to see")
        labelled = each["label"] or figure["legend"] or figure["id"].startswith("distribution-")
        expect(labelled, f"{where}: nothing says which curve is that of {each['name']}")
    if figure["id"] == "hand-off" and wide:
        expect(all(each["label"] for each in figure["series"]), f"{where}: a curve without its title beside it")
    left, top, right, bottom = figure["box"]
    for text, box in figure["texts"]:
        expect(box[0] >= left - 1 and box[1] >= top - 1 and box[2] <= right + 1 and box[3] <= bottom + 1,
               f"{where}: \"{text}\" is cut off")
    for (one, first), (other, second) in itertools.combinations(figure["labels"], 2):
        expect(not overlap(first, second), f"{where}: \"{one}\" lies on \"{other}\"")
    for first, second in itertools.pairwise(figure["x_ticks"]):
        expect(not overlap(first, second), f"{where}: labels of the axis lie on each other")


def check_table(cells, rows, where):
    expect(len(cells) == len(rows), f"{where}: {len(cells)} rows in the table instead of {len(rows)}")
    for line, row in zip(cells, rows):
        for name, value in row.items():
            if name in ("quantiles_us", "blocks"):
                continue
            number, text = line.get(name, (None, None))
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                expect(number is not None and math.isclose(float(number), value), f"{where}: {name} is {number}, not {value}")
            elif isinstance(value, str):
                expect(text == value, f"{where}: {name} is {text}, not {value}")
            else:
                expect(text, f"{where}: no {name} in the table")


def check_tiles(tiles, rows, where):
    """Of hand-offs: the first and the last point of Turnstile's curve, with the time as people read it."""
    expect([(waiters, us) for waiters, us, _ in tiles] == expected.tiles(rows), f"{where}: the tiles say {tiles}")
    for _, us, text in tiles:
        said, unit = text.split("to ")[0].split()
        expect(math.isclose(float(said) * {"µs": 1, "ms": 1e3, "s": 1e6}[unit], us, rel_tol=0.006), f"{where}: {us} is \"{text}\"")


def check_folding(browser, hidden, rows, where):
    bare = [expected.is_bare_client(row) for row in rows]
    expect(hidden == bare, f"{where}: not the rows of the bare client are folded")
    if any(bare):
        unfolded = browser.script("""
            document.getElementById("unfold").click();
            const hidden = [...document.querySelectorAll("#all-rows tbody tr")].filter(line => line.offsetParent === null);
            document.getElementById("unfold").click();
            return hidden.length;""")
        expect(unfolded == 0, f"{where}: {unfolded} rows stay folded")


def check(browser, page, files, width, scheme):
    where = f"{pathlib.Path(page).name}, {scheme}, {width} px"
    drawn = browser.script(what_is_drawn)
    rows = [row for file in files for row in json.loads(pathlib.Path(file).read_text())]

    charts, panels = expected.charts(rows), expected.distributions(rows)
    figures = [each for each in drawn["figures"] if not each["id"].startswith("distribution-")]
    expect({each["id"] for each in figures} == set(charts), f"{where}: charts {[each['id'] for each in figures]}")
    distributions = [each for each in drawn["figures"] if each["id"].startswith("distribution-")]
    expect({each["title"] for each in distributions} == set(panels), f"{where}: {[each['title'] for each in distributions]}")
    for figure in drawn["figures"]:
        of_shares = figure in distributions
        wanted = panels.get(figure["title"]) if of_shares else charts.get(figure["id"])
        found = {each["name"]: sorted((x, y) for x, y, _, _ in each["points"]) for each in figure["series"]}
        expect(found == wanted, f"{where}, {figure['title']}: drawn are {found}, in the rows stand {wanted}")
        check_places(figure, of_shares, f"{where}, {figure['title']}")
        check_looks(figure, drawn["page"], width > phone, f"{where}, {figure['title']}")

    check_table(drawn["cells"], rows, where)
    check_folding(browser, drawn["hidden"], rows, where)
    check_tiles(drawn["tiles"], rows, where)
    strategies = {row["strategy"] for row in rows}
    expect(sorted(name for name, _ in drawn["strategies"]) == sorted(strategies) and
           all(text for _, text in drawn["strategies"]), f"{where}: explained are {drawn['strategies']}")
    expect(len(drawn["files"]) == len(files), f"{where}: not a word about each file")
    expect(drawn["title"] == "Turnstile: benchmark report" and drawn["foreign"] == 0 and drawn["scripts"] == 3,
           f"{where}: a text of the rows became markup")
    expect(drawn["width"] <= width == drawn["shown"], f"{where}: {drawn['width']} px wide")
    expect(contrast(drawn["ink"], drawn["page"]) > 7, f"{where}: {drawn['ink']} on {drawn['page']}")
    expect((luminance(drawn["page"]) < 0.1) == (scheme == "dark"), f"{where}: the page is {drawn['page']}")
    return len(drawn["figures"]), sum(len(series["points"]) for each in drawn["figures"] for series in each["series"])


def check_report(browser, page, files):
    for width, first, then in ((1200, "light", "dark"), (phone, "dark", "light")):
        browser.show(page, width, first)
        figures, points = check(browser, page, files, width, first)
        browser.prefer(then)  # the reader's system changes in the evening
        check(browser, page, files, width, then)
        asked = browser.requests()
        expect(asked == [pathlib.Path(page).resolve().as_uri()], f"{page}: loads {asked}")
        for complaint in browser.complaints():
            faults.append(f"{page}: {complaint}")
    browser.resize(1000)  # a phone that is turned, say: drawn anew
    check(browser, page, files, 1000, "light")
    print(f"{page}: {figures} charts with {points} points")


def main(arguments):
    with Browser() as browser:
        while arguments:
            end = arguments.index("--") if "--" in arguments else len(arguments)
            page, *files = arguments[:end]
            check_report(browser, page, files)
            arguments = arguments[end + 1:]
    for fault in faults[:20]:
        print(fault[:2000], file=sys.stderr)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
