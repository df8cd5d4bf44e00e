// SPDX-License-Identifier: BSL-1.0
#include <turnstile/metrics.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>

namespace turnstile {

namespace {

/// A number of session_usage or lock_usage that only grows.
template <class Usage>
struct counter {
    std::uint64_t Usage::*value;
    std::string_view name;
    std::string_view help;
};

constexpr counter<session_usage> session_counters[]{
    {&session_usage::connections, "connections", "Connections on which a server has answered."},
    {&session_usage::connections_lost, "connections_lost", "Connections that were lost."},
    {&session_usage::failed_attempts, "failed_attempts", "Attempts to connect that failed."},
    {&session_usage::sessions, "sessions", "ZooKeeper sessions that were made."},
    {&session_usage::risks, "risks", "Times that held locks came to be at risk."},
    {&session_usage::missed_events, "missed_events", "Predecessors that left without an event."},
    {&session_usage::stalls, "stalls", "Times that the thread of the session was kept busy."}};

constexpr counter<lock_usage> lock_counters[]{
    {&lock_usage::acquires, "acquires", "Acquires that were started."},
    {&lock_usage::granted, "granted", "Acquires that ended with the lock."},
    {&lock_usage::would_block, "would_block", "Tries that found others."},
    {&lock_usage::timed_out, "timed_out", "Acquires whose time was over."},
    {&lock_usage::cancelled, "cancelled", "Acquires that were cancelled."},
    {&lock_usage::failed, "failed", "Acquires that failed."},
    {&lock_usage::released, "released", "Locks that were released."},
    {&lock_usage::lost, "lost", "Locks that were lost."},
    {&lock_usage::closed, "closed", "Locks that ended with their session."}};

std::string label(std::string_view name, std::string_view value) {
    std::string text = std::string(name) + "=\"";
    for (const char each : value) {
        if (each == '\\' || each == '"')
            text += '\\';
        text += each == '\n' ? "\\n" : std::string(1, each);
    }
    return text + '"';
}

std::string checked_label(const std::string& name, std::string_view value) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    const auto behind = name.find_first_not_of(std::string(letters) + "0123456789");
    const bool is_name = behind == name.npos && name.find_first_of(letters) == 0;
    if (!is_name || name == "path" || name == "le")
        throw std::invalid_argument("metrics_text: '" + name + "' cannot be the name of a label");
    return label(name, value);
}

// Writes a whole number of seconds as 1.0: so OpenMetrics wants it.
std::string seconds(std::chrono::nanoseconds span) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(),
                      std::chrono::duration<double>(span).count(), std::chars_format::fixed)
            .ptr;
    const std::string result(text.data(), end);
    return result.find('.') == result.npos ? result + ".0" : result;
}

/// The counts of several sessions or lock objects, each behind its labels: `a="b",c="d"`, or none.
template <class Usage>
using labelled = std::vector<std::pair<std::string, Usage>>;

/// Writes families of metrics: a head, then a sample for each session or lock object.
class metrics_writer {
public:
    explicit metrics_writer(metrics_format format)
        : is_openmetrics_(format == metrics_format::openmetrics) {}

    template <class Usage>
    void write_counters(const std::string& prefix, std::span<const counter<Usage>> counters,
                        const labelled<Usage>& usages) {
        for (const auto& [value, name, help] : counters) {
            const auto family = prefix + std::string(name);
            write_head(is_openmetrics_ ? family : family + "_total", "counter", help);
            write_samples(family + "_total", usages, value);
        }
    }

    void write_locks(const std::string& prefix, const labelled<lock_usage>& usages) {
        if (usages.empty())
            return;
        write_counters<lock_usage>(prefix, lock_counters, usages);
        write_head(prefix + "waiting", "gauge", "Acquires that wait now.");
        write_samples(prefix + "waiting", usages, &lock_usage::waiting);
        write_head(prefix + "held", "gauge", "Locks that are held now.");
        write_samples(prefix + "held", usages, &lock_usage::held);
        write_head(prefix + "wait_seconds", "histogram",
                   "From the call of an acquire to its grant.");
        write_histogram(prefix + "wait_seconds", usages, &lock_usage::wait);
        write_head(prefix + "hold_seconds", "histogram",
                   "From a grant to the release or the loss.");
        write_histogram(prefix + "hold_seconds", usages, &lock_usage::hold);
    }

    std::string text() && { return std::move(text_ += is_openmetrics_ ? "# EOF\n" : ""); }

private:
    void write_head(const std::string& name, const std::string& type, std::string_view help) {
        text_ +=
            "# HELP " + name + ' ' + std::string(help) + "\n# TYPE " + name + ' ' + type + '\n';
    }
    void write_sample(const std::string& name, const std::string& labels,
                      const std::string& value) {
        text_ += name + (labels.empty() ? "" : '{' + labels + '}') + ' ' + value + '\n';
    }
    template <class Usage, class Value>
    void write_samples(const std::string& name, const labelled<Usage>& usages, Value value) {
        for (const auto& [labels, usage] : usages)
            write_sample(name, labels, std::to_string(std::invoke(value, usage)));
    }
    // Each bucket also counts the durations of the buckets before it, as both formats want it.
    void write_histogram(const std::string& name, const labelled<lock_usage>& usages,
                         duration_histogram lock_usage::*which) {
        if (is_openmetrics_)
            text_ += "# UNIT " + name + " seconds\n";
        for (const auto& [labels, usage] : usages) {
            const auto& values = usage.*which;
            std::uint64_t count = 0;
            for (std::size_t i = 0; i < values.counts.size(); ++i) {
                const bool is_last = i == values.limits.size();
                auto with_limit = labels;
                (with_limit += labels.empty() ? "" : ",") +=
                    label("le", is_last ? "+Inf" : seconds(values.limits[i]));
                count += values.counts[i];
                write_sample(name + "_bucket", with_limit, std::to_string(count));
            }
            write_sample(name + "_sum", labels, seconds(values.sum));
            write_sample(name + "_count", labels, std::to_string(count));
        }
    }

    const bool is_openmetrics_;
    std::string text_;
};

} // namespace

std::string_view content_type(metrics_format format) noexcept {
    return format == metrics_format::openmetrics
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

std::string metrics_text(const std::vector<session_metrics>& sessions, metrics_format format) {
    labelled<session_usage> of_sessions;
    labelled<lock_usage> of_all_locks; // of each session, together
    labelled<lock_usage> of_locks;     // of single lock objects
    for (const auto& each : sessions) {
        std::string labels;
        for (const auto& [name, value] : each.labels) {
            labels += labels.empty() ? "" : ","; // apart: gcc 12 warns of their sum at -O3
            labels += checked_label(name, value);
        }
        of_sessions.push_back({labels, each.usage});
        of_all_locks.push_back({labels, each.usage.locks});
        for (const auto& [path, usage] : each.locks)
            of_locks.push_back({(labels.empty() ? "" : labels + ',') + label("path", path), usage});
    }
    metrics_writer writer(format);
    writer.write_counters<session_usage>("turnstile_", session_counters, of_sessions);
    writer.write_locks("turnstile_", of_all_locks);
    writer.write_locks("turnstile_lock_", of_locks);
    return std::move(writer).text();
}

} // namespace turnstile
