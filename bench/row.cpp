#include "row.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace turnstile::bench {

namespace {

template <class Value>
std::string cell(const std::optional<Value>& value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : std::string("-");
}

template <class Value>
void put(nlohmann::ordered_json& object, const char* name, const std::optional<Value>& value) {
    if (value)
        object[name] = *value;
}

} // namespace

void row::set_times(const sample& times) {
    count = times.count();
    p50_us = times.percentile(0.50);
    p90_us = times.percentile(0.90);
    p99_us = times.percentile(0.99);
    max_us = times.percentile(1.0);
}

void print_table(const rows& result) {
    fmt::print("{:<22} {:<10} {:>7} {:>8} {:>7} {:>9} {:>9} {:>9} {:>10} {:>6} {:>6} {:>7} {:>7} "
               "{:>9} {:>8}\n",
               "scenario", "strategy", "waiters", "sessions", "count", "p50 us", "p90 us", "p99 us",
               "max us", "ratio", "req/a", "events", "threads", "line up s", "drain s");
    for (const auto& r : result)
        fmt::print("{:<22} {:<10} {:>7} {:>8} {:>7} {:>9.1f} {:>9.1f} {:>9.1f} {:>10.1f} {:>6} "
                   "{:>6} {:>7} {:>7} {:>9} {:>8}\n",
                   r.scenario, r.strategy, cell(r.waiters, "{}"), cell(r.sessions, "{}"), r.count,
                   r.p50_us, r.p90_us, r.p99_us, r.max_us, cell(r.ratio_to_limit, "{:.2f}"),
                   cell(r.requests_per_acquire, "{:.2f}"),
                   cell(r.watch_events_per_release, "{:.2f}"), cell(r.threads, "{}"),
                   cell(r.line_up_s, "{:.2f}"), cell(r.drain_s, "{:.2f}"));
}

void write_json(const rows& result, const std::string& file) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& r : result) {
        nlohmann::ordered_json object;
        object["scenario"] = r.scenario;
        object["strategy"] = r.strategy;
        put(object, "waiters", r.waiters);
        put(object, "sessions", r.sessions);
        object["count"] = r.count;
        object["p50_us"] = r.p50_us;
        object["p90_us"] = r.p90_us;
        object["p99_us"] = r.p99_us;
        object["max_us"] = r.max_us;
        put(object, "ratio_to_limit", r.ratio_to_limit);
        put(object, "requests_per_acquire", r.requests_per_acquire);
        put(object, "watch_events_per_release", r.watch_events_per_release);
        put(object, "threads", r.threads);
        put(object, "line_up_s", r.line_up_s);
        put(object, "drain_s", r.drain_s);
        array.push_back(std::move(object));
    }
    std::ofstream out(file);
    out << array.dump(2) << '\n';
    if (!out)
        throw std::runtime_error("cannot write " + file + ": check the folder and its rights");
}

} // namespace turnstile::bench
