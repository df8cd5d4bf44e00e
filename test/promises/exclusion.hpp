// SPDX-License-Identifier: BSL-1.0
// Who holds one lock at the same time.
#pragma once

#include "findings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::promises {

inline constexpr std::size_t most_named = 3;

inline std::string milliseconds(instant length) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f ms", static_cast<double>(length.count()) / 1e6);
    return text.data();
}

/// At no time do those who believe to hold a lock take more than there is. An overlap is found when
/// it begins; its text tells how long it lasted once it is over.
class exclusion {
public:
    struct holder {
        acquire_id who = 0;
        units takes = 0;
        acquire_id with = 0; // one ownership has several handles; none but one of them takes
        instant since{};
        std::optional<std::size_t> found{}; // what it took was more than the earlier ones had left
    };

    void begins(const lock_kind& kind, acquire_id who, units takes, instant when, findings& out,
                std::optional<acquire_id> with = {}) {
        holders_.push_back({.who = who, .takes = takes, .with = with.value_or(who), .since = when});
        const auto newest = holders_.size() - 1;
        if (kind.fits(held_before(newest), takes))
            return;
        holders_.back().found = out.all().size();
        out.add(promise::exclusion, overlapping(kind, newest, out) + " believed to be held");
    }
    /// Of one who does not hold the lock it changes nothing. Tells the handle that takes from here
    /// on what this one took, if its ownership has another.
    std::optional<acquire_id> ends(const lock_kind& kind, acquire_id who, instant when,
                                   findings& out) {
        const auto which = std::find_if(holders_.begin(), holders_.end(),
                                        [&](const holder& each) { return each.who == who; });
        if (which == holders_.end())
            return std::nullopt;
        const auto heir = std::find_if(holders_.begin(), holders_.end(), [&](const holder& each) {
            return each.with == which->with && each.who != who;
        });
        if (which->takes > 0 && heir != holders_.end()) {
            const auto next = heir->who;
            which->who = next;
            holders_.erase(heir);
            return next;
        }
        remove(kind, which, when, out);
        return std::nullopt;
    }
    /// The same of one who goes on with more or less: nobody inherits.
    void interrupts(const lock_kind& kind, acquire_id who, instant when, findings& out) {
        const auto which = std::find_if(holders_.begin(), holders_.end(),
                                        [&](const holder& each) { return each.who == who; });
        if (which != holders_.end())
            remove(kind, which, when, out);
    }

    /// In the order in which they began.
    const std::vector<holder>& holders() const { return holders_; }

private:
    using iterator = std::vector<holder>::iterator;
    void remove(const lock_kind& kind, iterator which, instant when, findings& out) {
        const auto index = static_cast<std::size_t>(which - holders_.begin());
        if (which->found)
            close(kind, index, when, out);
        const auto without = [&](std::size_t later) {
            return held_before(later) - holders_[index].takes;
        };
        for (auto later = index + 1; later < holders_.size(); ++later)
            if (holders_[later].found && kind.fits(without(later), holders_[later].takes))
                close(kind, later, when, out);
        holders_.erase(which);
    }
    units held_before(std::size_t index) const {
        units sum = 0;
        for (std::size_t i = 0; i < index; ++i)
            sum += holders_[i].takes;
        return sum;
    }
    /// "A and B were both", "A, B and C were all": those who stand in its way, and itself.
    std::string overlapping(const lock_kind& kind, std::size_t index, const findings& out) const {
        std::vector<acquire_id> others;
        for (std::size_t i = 0; i < index; ++i)
            if (kind.exclude(holders_[i].takes, holders_[index].takes))
                others.push_back(holders_[i].who);
        if (others.empty()) // together they do
            std::transform(holders_.begin(),
                           std::next(holders_.begin(), static_cast<std::ptrdiff_t>(index)),
                           std::back_inserter(others), [](const holder& each) { return each.who; });
        std::string text;
        for (std::size_t i = 0; i < std::min(others.size(), most_named); ++i)
            text.append(i == 0 ? "" : ", ").append(out.name(others[i]));
        if (others.size() > most_named)
            text += " (of " + std::to_string(others.size()) + ')';
        text += " and " + out.name(holders_[index].who);
        return text + (others.size() == 1 ? " were both" : " were all");
    }
    void close(const lock_kind& kind, std::size_t index, instant when, findings& out) {
        auto& late = holders_[index];
        auto& found = out.at(*late.found);
        found.lasted = when - late.since;
        found.text = overlapping(kind, index, out) + " believed to be held for " +
                     milliseconds(*found.lasted);
        late.found.reset();
    }

    std::vector<holder> holders_;
};

} // namespace turnstile::promises
