// SPDX-License-Identifier: BSL-1.0
// Takes many locks, each of another name, and keeps a few of them.
#pragma once

#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

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

    name_mill(fixture& f, std::vector<session*> sessions, plan what)
        : sessions_(std::move(sessions)), plan_(what), timer_(f.context) {}

    void start() {
        for (std::size_t i = 0; i < plan_.in_flight; ++i)
            step();
        revisit_due();
    }

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
    void take(std::size_t name, session& by, Granted granted) {
        const auto lock = std::make_shared<mutex>(by, "/names/" + std::to_string(name));
        lock->acquire(
            [this, lock, name, granted](const error_code& result, held_lock taken) mutable {
                if (result) {
                    ++failures;
                    return step();
                }
                overlaps += believed_.insert(name).second ? 0 : 1;
                granted(std::move(taken));
            });
    }
    void step() {
        if (next_ == plan_.names)
            return;
        const auto name = next_++;
        ++acquires_;
        take(name, session_of(name), [this, name](held_lock lock) {
            --acquires_;
            keep(name, std::move(lock));
        });
        if (name % 8 != 0)
            return;
        ++waiting_;
        take(name, session_of(name + 1), [this, name](held_lock lock) {
            --waiting_;
            let_go(name, std::move(lock));
        });
    }
    void keep(std::size_t name, held_lock lock) {
        held_.emplace_back(name, std::move(lock));
        if (held_.size() > plan_.held) {
            auto [oldest, its] = std::move(held_.front());
            held_.pop_front();
            let_go(oldest, std::move(its));
        }
        step();
    }
    void let_go(std::size_t name, held_lock lock) {
        believed_.erase(name);
        ++releases_;
        auto released = [this, name](const error_code& result) {
            failures += result ? 1 : 0;
            --releases_;
            if (name % 32 == 0 && name != 0)
                visits_.push_back({name, clock::now() + 900ms + name % 1200 * 1ms});
        };
        lock.release(std::move(released));
    }
    void revisit_due() {
        for (; !visits_.empty() && visits_.front().due <= clock::now(); visits_.pop_front()) {
            const auto name = visits_.front().name;
            ++revisits_;
            take(name, session_of(name + revisits_), [this, name](held_lock lock) {
                believed_.erase(name);
                lock.release([this](const error_code& result) { failures += result ? 1 : 0; });
            });
        }
        timer_.expires_after(20ms);
        timer_.async_wait([this](const error_code& aborted) {
            if (!aborted)
                revisit_due();
        });
    }
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
