// SPDX-License-Identifier: BSL-1.0
// Holds what happens against all that is promised.
#pragma once

#include "event.hpp"
#include "exclusion.hpp"
#include "findings.hpp"
#include "lock_kind.hpp"
#include "nothing_left.hpp"
#include "once.hpp"
#include "order.hpp"
#include "served.hpp"
#include "tokens.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::promises {

/// Takes the events of a run in the order of time, one by one, and has each looked at by the rule
/// of each promise. It is told what happens while it happens, or all of it afterwards.
class judge {
public:
    struct acquire {
        life its{};
        lock_id lock = 0;
        units takes = 0;
        acquire_id with = 0; // whose handle it is; itself where it is none
        promises::token token{};
        bool believes = false; // to hold the lock, rightly or not
        std::size_t excuses = 0;
        bool was_excused = false; // at some time while it believed
    };
    struct lock {
        lock_kind kind{};
        std::string name{};
        exclusion holders{};
        tokens granted{};
        order served{};
    };

    explicit judge(findings::namer name) : found_(std::move(name)) {}

    /// Locks are numbered from 0 on.
    lock_id add(const lock_kind& kind, std::string name);
    /// Its number. It must have been added.
    lock_id lock_named(std::string_view name) const;
    void see(const event& next);
    /// Something was found on the servers when all was over.
    void left(const std::string& what, std::string_view how = "was left") {
        left_.found(what, how, found_);
    }
    /// The run is over, and all could be served.
    void finish();

    const std::vector<violation>& violations() const { return found_.all(); }
    /// Also of one that was not heard of yet.
    const acquire& of(acquire_id who) const;
    stage stage_of(acquire_id who) const { return of(who).its.now; }
    const std::vector<lock>& locks() const { return locks_; }
    const lock& lock_of(acquire_id who) const { return locks_[of(who).lock]; }
    /// Acquires that are not over.
    std::size_t open() const { return open_; }
    /// What was left.
    std::size_t remains() const { return left_.count(); }

private:
    void grant(const event& next, acquire& its);
    void lose(const event& next, acquire& its, stage before);
    void begin_belief(const event& next, acquire& its);
    void take_other(const event& next, acquire& its);
    void end_belief(const event& next, acquire& its);
    void end_hold(const event& next, acquire& its);
    void excuse(const event& next, acquire& its);
    void count(const event& next, const acquire& its);

    findings found_;
    std::vector<lock> locks_;
    std::vector<acquire> acquires_; // by number
    nothing_left left_;
    std::size_t open_ = 0;
};

/// The violations' texts alone.
std::vector<std::string> texts_of(const judge& which);

} // namespace turnstile::promises
