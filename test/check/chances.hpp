// SPDX-License-Identifier: BSL-1.0
// When a session had a server by which to prove that it lives, by the schedule's own record of its
// faults. The rule "loss" asks for it.
#pragma once

#include "history.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace turnstile::check {

/// A fault may begin this long before its line: the schedule writes the line once it has found the
/// fault's frame.
inline constexpr instant longest_line_delay = 20'000'000; // 20 ms

/// If no release was answered for longer than this, it is a silence. Workers release hundreds of
/// times a second while servers serve.
inline constexpr instant longest_pause = 150'000'000; // 150 ms

/// Whether the span has a time of this length that no interval of `taken` touches.
inline bool has_gap(std::vector<interval> taken, interval span, instant length) {
    std::sort(taken.begin(), taken.end(),
              [](const interval& a, const interval& b) { return a.from < b.from; });
    instant free_from = span.from;
    for (const auto& t : taken) {
        if (std::min(t.from, span.to) - free_from >= length)
            return true;
        free_from = std::max(free_from, t.to);
    }
    return span.to - free_from >= length;
}

/// The times in which each server could not serve. `evidence` owns it. Each server has a proxy of
/// the same number before it.
/// - A server cannot be reached while the schedule harms it, until all servers are whole again.
/// - Nor can it while its proxy refuses or swallows everything.
/// - A fault at one frame may have hit any session there. It divides the time before it from the
///   time after it.
/// - While servers are harmed, no server serves in a silence.
class chances {
public:
    explicit chances(const history& told) {
        for (std::uint64_t server = 1; server <= told.servers; ++server)
            faults_[server]; // a server without faults counts too
        for (const auto& f : told.server_faults)
            faults_[f.server].push_back({f.when.from - longest_line_delay, f.when.to});
        auto answers = told.answers;
        std::sort(answers.begin(), answers.end());
        for (std::size_t i = 0; i + 1 < answers.size(); ++i) {
            const interval pause{answers[i], answers[i + 1]};
            const bool harmed = std::any_of(
                told.server_faults.begin(), told.server_faults.end(), [&](const server_fault& f) {
                    return f.of_server && f.when.from <= pause.to && pause.from < f.when.to;
                });
            if (harmed && pause.to - pause.from > longest_pause)
                silences_.push_back(pause);
        }
    }

    /// Whether at least one server served without any fault for `length`, within the span.
    [[nodiscard]] bool had_server(interval span, instant length) const {
        return std::any_of(faults_.begin(), faults_.end(), [&](const auto& of_server) {
            std::vector<interval> taken;
            for (const auto* const all : {&of_server.second, &silences_})
                std::copy_if(all->begin(), all->end(), std::back_inserter(taken),
                             [&](const auto& i) { return i.from < span.to && span.from < i.to; });
            return has_gap(std::move(taken), span, length);
        });
    }

private:
    std::map<std::uint64_t, std::vector<interval>> faults_; ///< by server
    std::vector<interval> silences_;                        ///< times in which no server served
};

} // namespace turnstile::check
