// SPDX-License-Identifier: BSL-1.0
#include "peers.hpp"

#include "cell.hpp"
#include "peer.hpp"
#include "progress.hpp"
#include "round_book.hpp"
#include "scenarios.hpp"

#include "support/temp_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <memory>
#include <utility>

namespace turnstile::bench {

namespace {

class peers_run {
public:
    peers_run(const target& server, peers_choice choice)
        : server_(server), choice_(std::move(choice)) {}

    rows run() {
        for (const auto& kind : peer_kinds())
            if (is_wanted(kind.name))
                start(kind);
        const lock_choice mutex;
        in_rounds(
            "uncontended", [&] { return measure_uncontended(server_, mutex, choice_.pairs); },
            [&](peer& theirs) { return theirs.uncontended(choice_.pairs); });
        for (const auto waiters : choice_.waiters)
            in_rounds(
                fmt::format("{} waiters", waiters),
                [&] {
                    return measure_wakeup(server_, mutex,
                                          {.waiters = waiters,
                                           .sessions = choice_.sessions,
                                           .hand_offs = choice_.hand_offs});
                },
                [&](peer& theirs) { return theirs.wakeup(waiters, choice_.hand_offs); });
        return book_.medians();
    }

private:
    bool is_wanted(const std::string& name) const {
        return choice_.only.empty() ||
               std::find(choice_.only.begin(), choice_.only.end(), name) != choice_.only.end();
    }

    void report(const std::string& name, const std::string& what) {
        shown_.clear();
        fmt::print(stderr, "turnstile-bench: {}: {}\n", name, what);
    }

    void start(const peer_kind& kind) {
        if (const auto missing = missing_part_of(kind)) {
            report(kind.name, fmt::format("left out: there is no {} (Debian's package {}); "
                                          "`scripts/bench.sh --peers` installs it",
                                          missing->what, missing->package));
            return;
        }
        shown_.step(kind.name + ": warm-up");
        try {
            auto next = std::make_unique<peer>(kind, server_, choice_.sessions, folder_.path());
            next->warm_up(choice_.warm_up);
            peers_.push_back(std::move(next));
        } catch (const std::exception& e) {
            report(kind.name, std::string("left out: ") + e.what());
        }
    }

    /// `ours` measures Turnstile and the bare client, `theirs` a peer.
    template <class Ours, class Theirs>
    void in_rounds(const std::string& what, const Ours& ours, const Theirs& theirs) {
        for (std::size_t round = 1; round <= choice_.rounds; ++round) {
            const auto where = fmt::format("{}, round {} of {}", what, round, choice_.rounds);
            shown_.step(where + ": turnstile");
            auto measured = ours();
            std::erase_if(measured,
                          [](const row& each) { return each.scenario == "uncontended-acquire"; });
            for (const auto& each : measured)
                book_.add(each);
            for (auto next = peers_.begin(); next != peers_.end();) {
                shown_.step(where + ": " + (*next)->name());
                if (add_beside(
                        measured, where, [&] { return theirs(**next); }, **next))
                    ++next;
                else
                    next = peers_.erase(next);
            }
        }
    }

    /// False if the peer failed. `measured` has Turnstile's row, then the bare client's.
    template <class Theirs>
    bool add_beside(const rows& measured, const std::string& where, const Theirs& theirs,
                    const peer& whose) {
        try {
            row next = theirs();
            next.ratio_to_turnstile = *next.p50_us / *measured.at(0).p50_us;
            next.ratio_to_bare_client = *next.p50_us / *measured.at(1).p50_us;
            book_.add(std::move(next));
            return true;
        } catch (const std::exception& e) {
            report(whose.name(), fmt::format("left out from {} on: {}", where, e.what()));
            return false;
        }
    }

    const target& server_;
    const peers_choice choice_;
    test::temp_folder folder_{"turnstile-bench-peers-"};
    progress shown_{"peers"};
    std::list<std::unique_ptr<peer>> peers_;
    round_book book_;
};

/// The figure, and how far apart its rounds are.
std::string with_spread(const row& r, const char* name, const std::optional<double>& value) {
    const auto found = r.blocks.find(name);
    if (!value || found == r.blocks.end())
        return cell(value, "{:.2f}");
    const auto [low, high] = std::minmax_element(found->second.begin(), found->second.end());
    return fmt::format("{:.2f} ({:.2f}-{:.2f})", *value, *low, *high);
}

} // namespace

rows measure_peers(const target& server, const peers_choice& choice) {
    (void)std::signal(SIGPIPE, SIG_IGN); // a program may end while it is spoken to
    return peers_run(server, choice).run();
}

void print_peers(const rows& result) {
    std::vector<std::string> told;
    for (const auto& r : result)
        if (!r.version.empty() && std::find(told.begin(), told.end(), r.strategy) == told.end()) {
            fmt::print("{}: {}\n", r.strategy, r.version);
            told.push_back(r.strategy);
        }
    fmt::print("{:<12} {:<16} {:>7} {:>8} {:>6} {:>9} {:>9} {:>9} {:>20} {:>20} {:>6} {:>7} {:>9} "
               "{:>7} {:>9} {:>8}\n",
               "scenario", "strategy", "waiters", "sessions", "count", "p50 us", "p90 us", "p99 us",
               "to bare client", "to Turnstile", "req/a", "woken", "bytes/a", "threads",
               "line up s", "drain s");
    for (const auto& r : result)
        fmt::print("{:<12} {:<16} {:>7} {:>8} {:>6} {:>9} {:>9} {:>9} {:>20} {:>20} {:>6} {:>7} "
                   "{:>9} {:>7} {:>9} {:>8}\n",
                   r.scenario, r.strategy, cell(r.waiters, "{}"), cell(r.sessions, "{}"), r.count,
                   cell(r.p50_us, "{:.1f}"), cell(r.p90_us, "{:.1f}"), cell(r.p99_us, "{:.1f}"),
                   with_spread(r, "ratio_to_bare_client", r.ratio_to_bare_client),
                   with_spread(r, "ratio_to_turnstile", r.ratio_to_turnstile),
                   cell(r.requests_per_acquire, "{:.2f}"),
                   cell(r.waiters_woken_per_release, "{:.2f}"),
                   cell(r.bytes_received_per_acquire, "{:.0f}"), cell(r.threads, "{}"),
                   cell(r.line_up_s, "{:.2f}"), cell(r.drain_s, "{:.2f}"));
}

} // namespace turnstile::bench
