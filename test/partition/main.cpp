// SPDX-License-Identifier: BSL-1.0
// turnstile-partition: real servers in network namespaces of their own. A session holds a lock by
// one of them, another waits for it by the others, and then that server is parted from them, or
// paused. The holder must be told its loss before the other has the lock. One line for each run,
// and one for all.
#include "rivals.hpp"

#include "chaos/network.hpp"
#include "support/dice.hpp"
#include "support/ensemble.hpp"
#include "support/pch.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>

namespace {

using namespace std::chrono_literals;
using namespace turnstile;
using partition::rivals;
using std::chrono::milliseconds;

struct run_options {
    std::size_t runs = 100;
    std::uint64_t seed = 1;
    std::vector<int> ticks{200, 500, 1'000, 2'000};
    bool unstated = false;
    int longest = 40'000; // T in ms
};

constexpr std::array ways{"both ways", "outward", "inward", "flapping", "paused"};

double in_ms(lease_clock::duration span) {
    return std::chrono::duration<double, std::milli>(span).count();
}

/// Sums up all runs.
struct tally {
    std::size_t runs = 0;
    std::size_t lost = 0;
    std::size_t overlaps = 0;
    std::optional<double> smallest_gap;  // from the loss to the next grant, in T
    std::optional<double> smallest_lead; // from the deadline to the next grant, in T
};

class servers {
public:
    servers(chaos::network& net, int tick) : net_(net), members_(options_of(net, tick)) {}

    std::size_t leader() { return members_.leader(); }
    std::size_t follower(std::size_t which) { return members_.followers().at(which); }
    std::string address(std::size_t i) const { return members_.server(i).address(); }
    std::string all_but(std::size_t victim) const {
        std::string result;
        for (std::size_t i = 0; i < members_.size(); ++i)
            if (i != victim)
                result += (result.empty() ? "" : ",") + address(i);
        return result;
    }
    void part(std::size_t victim, std::string_view way) {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (i == victim)
                continue;
            if (way != "inward")
                net_.cut(victim, i);
            if (way != "outward")
                net_.cut(i, victim);
        }
    }
    void pause(std::size_t victim) { members_.pause(victim); }
    void mend(std::size_t victim) {
        net_.mend_all();
        members_.resume(victim);
    }
    void wait_until_serving() { members_.wait_until_serving(60s); }

private:
    static test::ensemble::options options_of(const chaos::network& net, int tick) {
        test::ensemble::options result;
        result.sync_limit_ticks = 5;
        result.server.tick_ms = tick;
        result.server.heap = "192m";
        result.server.start_limit = 60s;
        for (std::size_t i = 0; i < result.size; ++i)
            result.places.push_back({.argv_prefix = net.argv_prefix(i),
                                     .client_host = net.client_host(i),
                                     .peer_host = net.peer_host(i)});
        return result;
    }

    chaos::network& net_;
    test::ensemble members_;
};

// justified: the phase of a fault is drawn, and so are its lengths
void sleep(milliseconds span) { std::this_thread::sleep_for(span); }

void harm(servers& all, std::size_t victim, std::string_view way, milliseconds timeout,
          test::dice& draws, const rivals& pair) {
    const auto length = draws.between(timeout.count() / 2, timeout.count() * 5 / 2);
    const auto end = lease_clock::now() + length;
    if (way == "paused") {
        all.pause(victim);
    } else if (way != "flapping") {
        all.part(victim, way);
    }
    while (lease_clock::now() < end && !pair.seen().granted) {
        if (way == "flapping") {
            all.part(victim, draws.one_of({"both ways", "outward", "inward"}));
            sleep(draws.between(timeout.count() / 16, timeout.count() / 2));
            all.mend(victim);
            sleep(draws.between(1, timeout.count() / 8));
        } else {
            sleep(10ms);
        }
    }
    all.mend(victim);
}

void run_once(servers& all, int tick, std::size_t number, const run_options& how, test::dice& draws,
              tally& sum) {
    const auto ticks = draws.one_of({2, 3, 4, 6, 8, 12, 20});
    const milliseconds timeout{std::min(tick * ticks, std::max(how.longest, 2 * tick))};
    const bool of_leader = draws.one_in(2);
    const std::string_view way = ways.at(number % ways.size());
    const auto victim = of_leader ? all.leader() : all.follower(draws.below(2));
    const bool busy = draws.one_in(2);
    const auto stated = how.unstated ? std::nullopt : std::optional{milliseconds{tick}};
    rivals pair{{.holders_server = all.address(victim),
                 .waiters_servers = all.all_but(victim),
                 .lock = "/partition/" + std::to_string(tick) + '-' + std::to_string(number),
                 .timeout = timeout,
                 .tick = stated,
                 .busy = busy}};
    sleep(timeout / 2 + draws.between(0, timeout.count() / 2));
    harm(all, victim, way, timeout, draws, pair);
    sleep(timeout / 4); // a loss that is due by then is told
    const auto before = pair.seen();
    const bool believed = before.granted && !before.lost; // and believes still
    pair.let_go();
    const auto limit = lease_clock::now() + 3 * timeout + milliseconds{20 * tick} + 20s;
    while (!pair.seen().granted && lease_clock::now() < limit)
        sleep(10ms);
    const auto seen = pair.seen();
    boost::json::object line{{"tick_ms", tick},
                             {"timeout_ms", timeout.count()},
                             {"of", of_leader ? "leader" : "follower"},
                             {"way", way},
                             {"busy", busy},
                             {"lost", seen.lost.has_value()},
                             {"granted", seen.granted.has_value()}};
    ++sum.runs;
    if (believed) {
        ++sum.overlaps;
        line["overlap"] = true;
    } else if (seen.lost) {
        ++sum.lost;
        if (seen.granted) {
            const auto gap = in_ms(*seen.granted - *seen.lost) / in_ms(timeout);
            const auto lead = in_ms(*seen.granted - seen.deadline) / in_ms(timeout);
            line["gap_in_timeouts"] = gap;
            line["after_deadline_in_timeouts"] = lead;
            sum.overlaps += gap < 0 ? 1 : 0;
            sum.smallest_gap = std::min(sum.smallest_gap.value_or(gap), gap);
            sum.smallest_lead = std::min(sum.smallest_lead.value_or(lead), lead);
        }
    }
    std::cout << boost::json::serialize(line) << std::endl;
    all.wait_until_serving();
}

int run(const run_options& how) {
    chaos::network::remove_stale();
    if (const auto obstacle = chaos::network::obstacle(); !obstacle.empty()) {
        std::cerr << "turnstile-partition: " << obstacle << '\n';
        return 2;
    }
    tally sum;
    test::dice draws{how.seed, "partition"};
    for (const auto tick : how.ticks) {
        chaos::network net{3};
        servers all{net, tick};
        for (std::size_t i = 0; i < how.runs / how.ticks.size(); ++i)
            run_once(all, tick, i, how, draws, sum);
    }
    const bool well = sum.overlaps == 0 && sum.smallest_gap.value_or(0) >= 1.0 / 32;
    std::cout << boost::json::serialize(
                     boost::json::object{{"runs", sum.runs},
                                         {"stated", !how.unstated},
                                         {"lost", sum.lost},
                                         {"overlaps", sum.overlaps},
                                         {"smallest_gap", sum.smallest_gap.value_or(0)},
                                         {"after_deadline", sum.smallest_lead.value_or(0)}})
              << std::endl;
    return well ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    run_options how;
    CLI::App app{"Parts a holder's server from the others, and looks who believes in the lock"};
    app.add_option("--runs", how.runs, "over all ticks")->capture_default_str();
    app.add_option("--seed", how.seed)->capture_default_str();
    app.add_option("--ticks", how.ticks, "of the servers, in ms")->capture_default_str();
    app.add_option("--longest", how.longest, "session timeout, in ms")->capture_default_str();
    app.add_flag("--unstated", how.unstated, "the sessions do not know the tick");
    CLI11_PARSE(app, argc, argv);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return run(how);
    } catch (const std::exception& e) {
        std::cerr << "turnstile-partition: " << e.what() << '\n';
        return 2;
    }
}
