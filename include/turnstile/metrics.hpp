// SPDX-License-Identifier: BSL-1.0
// The counts of sessions and locks, as text for Prometheus and programs that read its formats.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/usage.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile {

/// Names and values, in UTF-8. A name has letters, digits and `_`.
using metric_labels = std::vector<std::pair<std::string, std::string>>;

/// The counts of one lock object.
struct lock_metrics {
    std::string path;
    lock_usage usage;
};

/// The counts of one session, and of some of its lock objects.
struct session_metrics {
    session_usage usage;
    metric_labels labels{};            ///< each sample of the session has them
    std::vector<lock_metrics> locks{}; ///< lock objects that have samples of their own
};

enum class metrics_format : std::uint8_t {
    openmetrics, ///< 1.0, which Prometheus prefers
    prometheus,  ///< its older text format, 0.0.4
};

/// The content type of an answer by HTTP.
TURNSTILE_API std::string_view content_type(metrics_format format) noexcept;

/**
 * @brief Writes the counts of sessions and locks as one text.
 *
 *     metrics_text({{.usage = session.usage(),
 *                    .labels = {{"service", "orders"}},
 *                    .locks = {{orders.path(), orders.usage()}}}});
 *
 * The names for a session, and for all its locks together, begin with `turnstile_`, such as
 * `turnstile_acquires_total`. Those for one lock object begin with `turnstile_lock_`, and have the
 * label `path`. The labels of any two sessions must differ, and so must the paths of any two lock
 * objects of a session. Throws `std::invalid_argument` if the name of a label is not allowed, or is
 * `path` or `le`.
 */
TURNSTILE_API std::string metrics_text(const std::vector<session_metrics>& sessions,
                                       metrics_format format = metrics_format::openmetrics);

} // namespace turnstile
