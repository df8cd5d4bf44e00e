// SPDX-License-Identifier: BSL-1.0
// The locks of one kind that a session uses, by lock path.
#pragma once

#include "protocol/lock_kind.hpp"
#include "protocol/session_context.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace turnstile::protocol {

/// Makes a lock at its first use, and forgets it when two reviews in a row found it at rest with no
/// use in between. `Lock::resting()` returns how often the lock was used, or nothing while it is
/// busy.
template <class Lock>
class locks_by_path : public lock_kind {
public:
    bool contains(const std::string& path) const override { return locks_.contains(path); }
    std::size_t size() const { return locks_.size(); }
    Lock* find(const std::string& path) const {
        const auto found = locks_.find(path);
        return found == locks_.end() ? nullptr : found->second.lock.get();
    }

    std::optional<std::string> busy_node() const override {
        for (const auto& [path, each] : locks_)
            if (!each.lock->resting())
                return each.lock->node_to_check();
        return std::nullopt;
    }

    void on_connected() override { for_each(&Lock::on_connected); }
    void on_disconnected() override { for_each(&Lock::on_disconnected); }
    void retry_denied() override { for_each(&Lock::retry_denied); }
    void stop_waiting_for_releases() override { for_each(&Lock::stop_waiting_for_releases); }
    void abandon_all() override {
        for (auto& [path, each] : locks_) {
            each.review.cancel();
            each.lock->abandon_all();
        }
    }
    void on_expired(failure releases) override { for_each(&Lock::on_expired, releases); }

protected:
    struct entry {
        explicit entry(timers& clock) : review(clock) {}

        std::unique_ptr<Lock> lock;
        std::optional<std::uint64_t> uses; // at the last review, if it was at rest
        timer review;
    };

    explicit locks_by_path(session_context& shared) : context_(shared) {}

    /// The lock of a path. The first call makes it: `more` goes to its constructor.
    template <class... More>
    Lock& at(const std::string& path, More&... more) {
        auto& known = locks_.try_emplace(path, context_.clock).first->second;
        if (!known.lock) {
            known.lock = std::make_unique<Lock>(context_, path, more...);
            review_later(path, known);
        }
        return *known.lock;
    }
    template <class Member, class... Arguments>
    void for_each(Member member, Arguments... arguments) {
        for (auto& [path, each] : locks_)
            ((*each.lock).*member)(arguments...);
    }

    /// How long after one review the next one comes.
    virtual duration review_interval() const { return context_.options.queue_rest; }
    /// Whether this lock is forgotten now; else it is looked at again.
    virtual bool retire(const std::string& /*path*/, Lock& /*idle*/) { return true; }

    session_context& context_;
    std::map<std::string, entry> locks_;

private:
    void review_later(const std::string& path, entry& which) {
        which.review.set(context_.now() + review_interval(), [this, path, &which] {
            const auto before = which.uses;
            which.uses = which.lock->resting();
            if (which.uses && which.uses == before && retire(path, *which.lock))
                locks_.erase(path);
            else
                review_later(path, which);
        });
    }
};

} // namespace turnstile::protocol
