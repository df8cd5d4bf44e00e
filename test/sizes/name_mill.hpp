// SPDX-License-Identifier: BSL-1.0
// Takes many locks, each of another name, and keeps a few of them.
#pragma once

#include "integration/support/fault_rig.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace turnstile::test {

/// Every eighth name is wanted by two sessions at the same time; every 32nd once more at about the
/// time when its empty path is deleted.
class name_mill {
public:
    struct plan {
        std::size_t names;
        std::size_t held;      ///< the newest ones, at any time
        std::size_t in_flight; ///< acquires at once
    };

    name_mill(fixture& f, std::vector<session*> sessions, plan what);

    void start();
    [[nodiscard]] bool done() const {
        return next_ == plan_.names && acquires_ == 0 && releases_ == 0;
    }
    /// Used again, the deletion perhaps being under way.
    [[nodiscard]] std::size_t revisits() const { return revisits_; }
    /// Nodes that have to be there: two for each lock held, one for each acquire that waits for it.
    [[nodiscard]] std::size_t alive() const { return 2 * held_.size() + waiting_; }
    [[nodiscard]] std::size_t begun() const { return next_; }

    std::size_t failures = 0;
    std::size_t overlaps = 0;

private:
    using clock = std::chrono::steady_clock;
    struct visit {
        std::size_t name;
        clock::time_point due;
    };

    template <class Granted>
    void take(std::size_t name, session& by, Granted granted);
    void step();
    void keep(std::size_t name, held_lock lock);
    void let_go(std::size_t name, held_lock lock);
    void revisit_due();
    session& session_of(std::size_t name) { return *sessions_[name % sessions_.size()]; }

    std::vector<session*> sessions_;
    plan plan_;
    std::size_t next_ = 0;
    std::size_t acquires_ = 0; // under way, of those that keep the lock
    std::size_t releases_ = 0;
    std::size_t waiting_ = 0; // the second ones
    std::size_t revisits_ = 0;
    std::deque<std::pair<std::size_t, held_lock>> held_;
    std::set<std::size_t> believed_; // names that somebody holds
    std::deque<visit> visits_;
    boost::asio::steady_timer timer_;
};

} // namespace turnstile::test
