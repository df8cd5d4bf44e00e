// SPDX-License-Identifier: BSL-1.0
// A run in a few words, so that tests of promises read as stories.
#pragma once

#include "promises/judge.hpp"
#include "support/pch.hpp"

namespace turnstile::promises {

using words = std::vector<std::string>;

/// Acquires 1, 2, ... of one lock, called "a1", "a2" and so on. Times are in milliseconds.
struct run {
    explicit run(const lock_kind& kind = mutex)
        : judged([](acquire_id who) { return "a" + std::to_string(who); }) {
        judged.add(kind, "/a");
    }

    /// A grant has a token that grows.
    void see(long ms, acquire_id who, happening what) {
        if (what == happening::granted)
            granted(ms, who, ++last_token_);
        else
            judged.see({.what = what, .who = who, .when = at(ms)});
    }
    void asks(long ms, acquire_id who, units takes = 1) {
        judged.see({.what = happening::asks, .who = who, .when = at(ms), .takes = takes});
    }
    void granted(long ms, acquire_id who, std::uint64_t token, std::optional<place> where = {}) {
        judged.see({.what = happening::granted,
                    .who = who,
                    .when = at(ms),
                    .token = {token, 0},
                    .place = where});
    }
    /// Both at once.
    void takes(long ms, acquire_id who, units how_much = 1) {
        asks(ms, who, how_much);
        see(ms, who, happening::granted);
    }
    void releases(long ms, acquire_id who) { see(ms, who, happening::releases); }
    void released(long ms, acquire_id who) { see(ms, who, happening::released); }
    void lost(long ms, acquire_id who, const loss& how = {}) {
        judged.see({.what = happening::lost, .who = who, .when = at(ms), .loss = how});
    }

    words found() const { return texts_of(judged); }
    static instant at(long ms) { return std::chrono::milliseconds{ms}; }

    judge judged;

private:
    std::uint64_t last_token_ = 100;
};

} // namespace turnstile::promises
