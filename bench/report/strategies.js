// SPDX-License-Identifier: BSL-1.0
// The ways to lock that rows may have, by their names in the rows: titles, shapes of their points, and what they do.

const known_strategies = {
    "bare-client": {title: "bare client", symbol: d3.symbolSquare,
        text: "ZooKeeper's C client without Turnstile: the same requests, one after the other. It is no lock; it says how fast one could be."},
    "bare-client-redirected": {title: "bare client, redirected", symbol: d3.symbolSquare,
        text: "The bare client with its socket calls as they are inside Turnstile: a request leaves in one write."},
    "herd-exclusive": {title: "herd, exclusive", symbol: d3.symbolTriangle,
        text: "Each waiter watches the children of the lock path. A release wakes them all, and all list the path again."},
    "herd-shared": {title: "herd, shared", symbol: d3.symbolDiamond,
        text: "As the exclusive herd, with names for readers and writers. All waiters are writers here."},
    "herd-single-node": {title: "herd on a single node", symbol: d3.symbolStar,
        text: "All try to make one node. Who cannot watches it. A release wakes them all, and all try again, in no order."},
    "listing": {title: "listing", symbol: d3.symbolWye,
        text: "Each watches the node before its own. A release wakes one waiter, which lists the whole path once more."},
    "curator": {title: "Curator", symbol: d3.symbolSquare,
        text: "Apache Curator's InterProcessMutex, Java. It lists the path at each acquire and once more at each wake-up."},
    "java-write-lock": {title: "ZooKeeper's Java recipe", symbol: d3.symbolTriangle,
        text: "The WriteLock of ZooKeeper's own Java recipe. It lists as Curator does, and needs a session for each waiter."},
    "kazoo": {title: "Kazoo", symbol: d3.symbolDiamond,
        text: "Kazoo's Lock, Python. It lists the path at each acquire and once more at each wake-up."},
    "etcd": {title: "etcd", symbol: d3.symbolCross,
        text: "etcd's own lock, through its JSON gateway: another server, so the figure compares whole systems."},
    "turnstile": {title: "Turnstile", symbol: d3.symbolCircle,
        text: "Each waiter watches the ticket before its own. The event itself says that the lock is its own: it asks nothing."},
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

/// Fills a list of definitions with what each strategy does. A name that is not known says so.
function fill_strategies(list, strategies) {
    for (const name of [...strategies].reverse()) {
        const look = look_of(name, strategies);
        d3.select(list).append("dt").attr("data-strategy", name).text(look.title);
        d3.select(list).append("dd").text(look.text || "A strategy that this page does not know.");
    }
}
