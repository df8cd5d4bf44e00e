#include "limit_client.hpp"
#include "progress.hpp"
#include "scenarios.hpp"

namespace turnstile::bench {

namespace {

constexpr const char* directory = "/bench/limit";

template <class Function>
void timed(sample& times, Function function) {
    const auto start = clock::now();
    function();
    times.add(clock::now() - start);
}

row limit_row(const char* scenario, const sample& times) {
    row result{.scenario = scenario, .strategy = "limit"};
    result.set_times(times);
    return result;
}

} // namespace

rows measure_limit(const target& server, std::size_t iterations) {
    progress shown("limit");
    limit_client one(server.first());
    limit_client other(server.first());
    one.make_directory(directory);
    sample create, exists, remove, transaction, event;
    for (std::size_t i = 0; i < iterations; ++i) {
        const auto prefix = std::string(directory) + "/turn-1-lock-";
        std::string node;
        timed(create, [&] { node = one.create(prefix); });
        timed(exists, [&] { one.exists(node); });
        timed(remove, [&] { one.remove(node); });
        node = one.create(prefix);
        timed(transaction, [&] { one.set_and_delete(node); });
        event.add(limit_client::hand_off(one, other, directory));
        shown.at(i, iterations);
    }
    return {limit_row("limit-create", create), limit_row("limit-exists", exists),
            limit_row("limit-delete", remove), limit_row("limit-multi", transaction),
            limit_row("limit-multi-to-event", event)};
}

void warm_up(const target& server) {
    constexpr std::size_t rounds = 1500;
    progress shown("warm-up");
    limit_client one(server.first());
    limit_client other(server.first());
    one.make_directory(directory);
    for (std::size_t i = 0; i < rounds; ++i) {
        limit_client::hand_off(one, other, directory);
        one.exists(directory);
        shown.at(i, rounds);
    }
    measure_uncontended(server, rounds);
    measure_wakeup(server, rounds, 4);
}

} // namespace turnstile::bench
