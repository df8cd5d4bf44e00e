// SPDX-License-Identifier: BSL-1.0
// What sessions and locks have done, as text for Prometheus and all that reads its formats.
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

struct lock_metrics {
    std::string path;
    lock_usage usage;
};

struct session_metrics {
    session_usage usage;
    metric_labels labels{};            ///< of all its samples
    std::vector<lock_metrics> locks{}; ///< that are to be seen by themselves
};

enum class metrics_format : std::uint8_t {
    openmetrics, ///< 1.0, which Prometheus prefers
    prometheus,  ///< its older text format, 0.0.4
};

/// For an answer by HTTP.
TURNSTILE_API std::string_view content_type(metrics_format format) noexcept;

/**
 * @brief The numbers of sessions and locks as one text.
 *
 *     metrics_text({{.usage = session.usage(),
 *                    .labels = {{"service", "orders"}},
 *                    .locks = {{orders.path(), orders.usage()}}}});
 *
 * Numbers of a session, and of all its locks, have their names behind `turnstile_`, such as
 * `turnstile_acquires_total`. Those of a lock object begin with `turnstile_lock_`, and have the
 * label `path`. Each session needs labels of its own, and each of its lock objects a path of its
 * own. Throws `std::invalid_argument` for the name of a label that is none, or is `path` or `le`.
 */
TURNSTILE_API std::string metrics_text(const std::vector<session_metrics>& sessions,
                                       metrics_format format = metrics_format::openmetrics);

} // namespace turnstile
