// SPDX-License-Identifier: BSL-1.0
#include "row.hpp"

#include "cell.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace turnstile::bench {

namespace {

template <class Value>
void put(nlohmann::ordered_json& object, const char* name, const std::optional<Value>& value) {
    if (value)
        object[name] = *value;
}

/// Its kind, and how large it is.
std::string lock_cell(const row& r) {
    const auto kind = r.lock.empty() ? std::string("-") : r.lock;
    const auto size = r.permits ? r.permits : r.parts;
    return size ? fmt::format("{}({})", kind, *size) : kind;
}

/// Ten parts, or fewer that have samples enough for a median.
std::size_t parts_of(const sample& times) { return std::min<std::size_t>(10, times.count() / 5); }

/// Every twentieth, then ever finer towards the slowest, as far as there are samples for it.
std::vector<std::pair<double, double>> quantiles_of(const sample& times) {
    std::vector<std::pair<double, double>> all;
    if (times.count() == 0)
        return all;
    for (int twentieth = 0; twentieth < 20; ++twentieth)
        all.emplace_back(twentieth / 20.0, times.percentile(twentieth / 20.0));
    for (const auto& [share, least] : {std::pair{0.99, 100U}, {0.999, 1000U}, {0.9999, 10'000U}})
        if (times.count() >= least)
            all.emplace_back(share, times.percentile(share));
    all.emplace_back(1.0, times.percentile(1.0));
    return all;
}

void print_costs(const rows& result) {
    fmt::print("{:<10} {:<16} {:>8} {:>14} {:>13} {:>14}   per acquire and release\n", "scenario",
               "strategy", "count", "instructions", "allocations", "system calls");
    for (const auto& r : result) {
        fmt::print("{:<10} {:<16} {:>8} {:>14} {:>13} {:>14}  ", r.scenario, r.strategy, r.count,
                   cell(r.instructions_per_acquire_release, "{:.0f}"),
                   cell(r.allocations_per_acquire_release, "{:.2f}"),
                   cell(r.system_calls_per_acquire_release, "{:.2f}"));
        for (const auto& [name, calls] : r.system_calls)
            fmt::print(" {} {:.2f}", name, calls);
        fmt::print("\n");
    }
}

} // namespace

void row::set_times(const sample& times) {
    count = times.count();
    p50_us = times.percentile(0.50);
    p90_us = times.percentile(0.90);
    p99_us = times.percentile(0.99);
    max_us = times.percentile(1.0);
    quantiles_us = quantiles_of(times);
    const auto count_of_blocks = parts_of(times);
    if (count_of_blocks < 2)
        return;
    blocks["p50_us"] = times.percentiles(0.50, count_of_blocks);
    blocks["p90_us"] = times.percentiles(0.90, count_of_blocks);
    blocks["p99_us"] = times.percentiles(0.99, count_of_blocks);
}

void row::set_ratio(const sample& times, const sample& bare) {
    if (times.count() == 0 || bare.count() == 0)
        return;
    ratio_to_bare_client = times.percentile(0.50) / bare.percentile(0.50);
    if (times.count() >= 100 && bare.count() >= 100)
        p99_ratio_to_bare_client = times.percentile(0.99) / bare.percentile(0.99);
    const auto count_of_blocks = std::min(parts_of(times), parts_of(bare));
    const auto ours = times.percentiles(0.50, count_of_blocks);
    const auto theirs = bare.percentiles(0.50, count_of_blocks);
    for (std::size_t i = 0; i < ours.size(); ++i)
        blocks["ratio_to_bare_client"].push_back(ours[i] / theirs[i]);
}

namespace {

/// What only some scenarios have.
std::string rest_of(const row& r) {
    std::string text;
    const auto add = [&text](const char* name, const auto& value, const char* format) {
        if (value)
            text += fmt::format("  {} {}", name, cell(value, format));
    };
    if (r.cold)
        text += "  rested";
    add("at once", r.inflight, "{}");
    add("per s", r.per_s, "{:.0f}");
    add("bytes/a", r.bytes_received_per_acquire, "{:.0f}");
    add("req/write", r.requests_per_write, "{:.2f}");
    add("req/observer", r.requests_per_observer, "{:.2f}");
    add("events/session", r.watch_events_per_session, "{:.2f}");
    add("news/observer", r.news_per_observer, "{:.2f}");
    add("bytes/waiter", r.bytes_per_waiter, "{:.0f}");
    add("processor us", r.processor_us, "{:.1f}");
    add("req/cancel", r.requests_per_cancel, "{:.2f}");
    add("events/cancel", r.watch_events_per_cancel, "{:.2f}");
    add("timeouts", r.times_timeout, "{:.2f}");
    add("req/holder/s", r.requests_per_holder_and_s, "{:.3f}");
    add("server us/holder/s", r.server_us_per_holder_and_s, "{:.1f}");
    return text;
}

} // namespace

void print_table(const rows& result) {
    if (!result.empty() && result.front().instructions_per_acquire_release)
        return print_costs(result);
    fmt::print("{:<22} {:<16} {:<14} {:>7} {:>8} {:>7} {:>9} {:>9} {:>9} {:>10} {:>6} {:>6} {:>6} "
               "{:>7} {:>7} "
               "{:>9} {:>8}  {}\n",
               "scenario", "strategy", "lock", "waiters", "sessions", "count", "p50 us", "p90 us",
               "p99 us", "max us", "ratio", "req/a", "woken", "events", "threads", "line up s",
               "drain s", "others");
    for (const auto& r : result)
        fmt::print("{:<22} {:<16} {:<14} {:>7} {:>8} {:>7} {:>9} {:>9} {:>9} {:>10} {:>6} "
                   "{:>6} {:>6} {:>7} {:>7} {:>9} {:>8}{}\n",
                   r.scenario, r.strategy, lock_cell(r), cell(r.waiters, "{}"),
                   cell(r.sessions, "{}"), r.count, cell(r.p50_us, "{:.1f}"),
                   cell(r.p90_us, "{:.1f}"), cell(r.p99_us, "{:.1f}"), cell(r.max_us, "{:.1f}"),
                   cell(r.ratio_to_bare_client, "{:.2f}"), cell(r.requests_per_acquire, "{:.2f}"),
                   cell(r.waiters_woken_per_release, "{:.2f}"),
                   cell(r.watch_events_per_release, "{:.2f}"), cell(r.threads, "{}"),
                   cell(r.line_up_s, "{:.2f}"), cell(r.drain_s, "{:.2f}"), rest_of(r));
}

void write_json(const rows& result, const std::string& file) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& r : result) {
        nlohmann::ordered_json object;
        object["scenario"] = r.scenario;
        object["strategy"] = r.strategy;
        if (!r.version.empty())
            object["version"] = r.version;
        if (!r.lock.empty())
            object["lock"] = r.lock;
        put(object, "permits", r.permits);
        put(object, "parts", r.parts);
        put(object, "waiters", r.waiters);
        put(object, "sessions", r.sessions);
        put(object, "locks", r.locks);
        put(object, "inflight", r.inflight);
        put(object, "cold", r.cold);
        put(object, "timeout_ms", r.timeout_ms);
        object["count"] = r.count;
        put(object, "p50_us", r.p50_us);
        put(object, "p90_us", r.p90_us);
        put(object, "p99_us", r.p99_us);
        put(object, "max_us", r.max_us);
        put(object, "ratio_to_bare_client", r.ratio_to_bare_client);
        put(object, "p99_ratio_to_bare_client", r.p99_ratio_to_bare_client);
        put(object, "ratio_to_turnstile", r.ratio_to_turnstile);
        put(object, "requests_per_acquire", r.requests_per_acquire);
        put(object, "requests_per_write", r.requests_per_write);
        put(object, "requests_per_observer", r.requests_per_observer);
        put(object, "watch_events_per_session", r.watch_events_per_session);
        put(object, "news_per_observer", r.news_per_observer);
        put(object, "bytes_received_per_acquire", r.bytes_received_per_acquire);
        put(object, "bytes_sent_per_acquire", r.bytes_sent_per_acquire);
        put(object, "watch_events_per_release", r.watch_events_per_release);
        put(object, "waiters_woken_per_release", r.waiters_woken_per_release);
        put(object, "threads", r.threads);
        put(object, "line_up_s", r.line_up_s);
        put(object, "drain_s", r.drain_s);
        put(object, "per_s", r.per_s);
        put(object, "bytes_per_waiter", r.bytes_per_waiter);
        put(object, "processor_us", r.processor_us);
        put(object, "requests_per_cancel", r.requests_per_cancel);
        put(object, "watch_events_per_cancel", r.watch_events_per_cancel);
        put(object, "times_timeout", r.times_timeout);
        put(object, "requests_per_holder_and_s", r.requests_per_holder_and_s);
        put(object, "server_us_per_holder_and_s", r.server_us_per_holder_and_s);
        put(object, "instructions_per_acquire_release", r.instructions_per_acquire_release);
        put(object, "allocations_per_acquire_release", r.allocations_per_acquire_release);
        put(object, "system_calls_per_acquire_release", r.system_calls_per_acquire_release);
        if (!r.system_calls.empty())
            object["system_calls"] = r.system_calls;
        if (!r.quantiles_us.empty())
            object["quantiles_us"] = r.quantiles_us;
        if (!r.blocks.empty())
            object["blocks"] = r.blocks;
        array.push_back(std::move(object));
    }
    std::ofstream out(file);
    out << array.dump(2) << '\n';
    if (!out)
        throw std::runtime_error("cannot write " + file + ": check the folder and its rights");
}

} // namespace turnstile::bench
