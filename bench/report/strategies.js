// The ways to lock that rows may have, by their names in the rows: titles, and shapes of their points.

const known_strategies = {
    "limit": {title: "limit: bare C client", symbol: d3.symbolSquare},
    "limit-redirected": {title: "limit, redirected", symbol: d3.symbolSquare},
    "herd-exclusive": {title: "herd, exclusive", symbol: d3.symbolTriangle},
    "herd-shared": {title: "herd, shared", symbol: d3.symbolDiamond},
    "herd-single-node": {title: "herd on a single node", symbol: d3.symbolStar},
    "listing": {title: "listing", symbol: d3.symbolWye},
    "curator": {title: "Curator", symbol: d3.symbolSquare},
    "java-write-lock": {title: "ZooKeeper's Java recipe", symbol: d3.symbolTriangle},
    "kazoo": {title: "Kazoo", symbol: d3.symbolDiamond},
    "etcd": {title: "etcd", symbol: d3.symbolCross},
    "turnstile": {title: "Turnstile", symbol: d3.symbolCircle},
};
const other_symbols = [d3.symbolStar, d3.symbolWye, d3.symbolCross];

/// Names of those in the rows, in the order of drawing: Turnstile lies on top.
function strategies_in(rows) {
    const present = new Set(rows.map(row => row.strategy));
    const known = Object.keys(known_strategies).filter(name => present.has(name));
    const others = [...present].filter(name => !(name in known_strategies));
    return [...others, ...known];
}

/// How a strategy looks: its title, its class in the style sheet, the shape of its points.
function look_of(strategy, all) {
    if (strategy in known_strategies)
        return {...known_strategies[strategy], style: strategy};
    const others = all.filter(name => !(name in known_strategies));
    const place = others.indexOf(strategy) % other_symbols.length;
    return {title: strategy, style: `other-${place + 1}`, symbol: other_symbols[place]};
}

function symbol_path(look, size) {
    return d3.symbol().type(look.symbol).size(look.style === "turnstile" ? size * 1.5 : size)();
}

/// Fills a list with a sign and a title for each strategy.
function fill_legend(list, strategies, all) {
    // The most important one first.
    const items = d3.select(list).selectAll("li").data([...strategies].reverse()).join("li")
        .attr("class", name => look_of(name, all).style);
    items.selectAll("*").remove();
    const signs = items.append("svg").attr("width", 30).attr("height", 14).attr("aria-hidden", "true")
        .append("g").attr("class", name => `series ${look_of(name, all).style}`);
    signs.append("path").attr("class", "curve").attr("d", "M0,7H30");
    signs.append("path").attr("class", "point").attr("transform", "translate(15,7)")
        .attr("d", name => symbol_path(look_of(name, all), 50));
    items.append("span").text(name => look_of(name, all).title);
}
