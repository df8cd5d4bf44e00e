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

// As OpenMetrics wants a whole number, too: 1.0.
std::string seconds(std::chrono::nanoseconds span) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(),
                      std::chrono::duration<double>(span).count(), std::chars_format::fixed)
            .ptr;
    const std::string result(text.data(), end);
    return result.find('.') == result.npos ? result + ".0" : result;
}

/// Whose numbers they are: `a="b",c="d"`, or empty.
template <class Usage>
using sources = std::vector<std::pair<std::string, Usage>>;

class metrics_writer {
public:
    explicit metrics_writer(metrics_format format)
        : is_open_(format == metrics_format::openmetrics) {}

    template <class Usage>
    void counters(const std::string& prefix, std::span<const counter<Usage>> all,
                  const sources<Usage>& of) {
        for (const auto& [value, name, help] : all) {
            const auto family = prefix + std::string(name);
            head(is_open_ ? family : family + "_total", "counter", help);
            samples(family + "_total", of, value);
        }
    }

    void locks(const std::string& prefix, const sources<lock_usage>& of) {
        if (of.empty())
            return;
        counters<lock_usage>(prefix, lock_counters, of);
        head(prefix + "waiting", "gauge", "Acquires that wait now.");
        samples(prefix + "waiting", of, &lock_usage::waiting);
        head(prefix + "held", "gauge", "Locks that are held now.");
        samples(prefix + "held", of, &lock_usage::held);
        head(prefix + "wait_seconds", "histogram", "From the call of an acquire to its grant.");
        histogram(prefix + "wait_seconds", of, &lock_usage::wait);
        head(prefix + "hold_seconds", "histogram", "From a grant to the release or the loss.");
        histogram(prefix + "hold_seconds", of, &lock_usage::hold);
    }

    std::string text() && { return std::move(text_ += is_open_ ? "# EOF\n" : ""); }

private:
    void head(const std::string& name, const std::string& type, std::string_view help) {
        text_ +=
            "# HELP " + name + ' ' + std::string(help) + "\n# TYPE " + name + ' ' + type + '\n';
    }
    void sample(const std::string& name, const std::string& labels, const std::string& value) {
        text_ += name + (labels.empty() ? "" : '{' + labels + '}') + ' ' + value + '\n';
    }
    template <class Usage, class Value>
    void samples(const std::string& name, const sources<Usage>& of, Value value) {
        for (const auto& [labels, usage] : of)
            sample(name, labels, std::to_string(std::invoke(value, usage)));
    }
    void histogram(const std::string& name, const sources<lock_usage>& of,
                   duration_histogram lock_usage::*which) {
        if (is_open_)
            text_ += "# UNIT " + name + " seconds\n";
        for (const auto& [labels, usage] : of) {
            const auto& values = usage.*which;
            std::uint64_t below = 0;
            for (std::size_t i = 0; i < values.counts.size(); ++i) {
                const bool is_last = i == values.limits.size();
                auto all = labels;
                (all += labels.empty() ? "" : ",") +=
                    label("le", is_last ? "+Inf" : seconds(values.limits[i]));
                sample(name + "_bucket", all, std::to_string(below += values.counts[i]));
            }
            sample(name + "_sum", labels, seconds(values.sum));
            sample(name + "_count", labels, std::to_string(below));
        }
    }
    const bool is_open_;
    std::string text_;
};

} // namespace

std::string_view content_type(metrics_format format) noexcept {
    return format == metrics_format::openmetrics
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

std::string metrics_text(const std::vector<session_metrics>& sessions, metrics_format format) {
    sources<session_usage> of_sessions;
    sources<lock_usage> of_all_locks;
    sources<lock_usage> of_locks;
    for (const auto& each : sessions) {
        std::string labels;
        for (const auto& [name, value] : each.labels)
            labels += (labels.empty() ? "" : ",") + checked_label(name, value);
        of_sessions.push_back({labels, each.usage});
        of_all_locks.push_back({labels, each.usage.locks});
        for (const auto& [path, usage] : each.locks)
            of_locks.push_back({(labels.empty() ? "" : labels + ',') + label("path", path), usage});
    }
    metrics_writer writer(format);
    writer.counters<session_usage>("turnstile_", session_counters, of_sessions);
    writer.locks("turnstile_", of_all_locks);
    writer.locks("turnstile_lock_", of_locks);
    return std::move(writer).text();
}

} // namespace turnstile
