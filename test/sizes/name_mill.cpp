// SPDX-License-Identifier: BSL-1.0
#include "name_mill.hpp"

#include "support/pch.hpp"

#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;

name_mill::name_mill(fixture& f, std::vector<session*> sessions, plan what)
    : sessions_(std::move(sessions)), plan_(what), timer_(f.context) {}

void name_mill::start() {
    for (std::size_t i = 0; i < plan_.in_flight; ++i)
        step();
    revisit_due();
}

template <class Granted>
void name_mill::take(std::size_t name, session& by, Granted granted) {
    const auto lock = std::make_shared<mutex>(by, "/names/" + std::to_string(name));
    lock->acquire([this, lock, name, granted](const error_code& result, held_lock taken) mutable {
        if (result) {
            ++failures;
            return step();
        }
        overlaps += believed_.insert(name).second ? 0 : 1;
        granted(std::move(taken));
    });
}

void name_mill::step() {
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

void name_mill::keep(std::size_t name, held_lock lock) {
    held_.emplace_back(name, std::move(lock));
    if (held_.size() > plan_.held) {
        auto [oldest, its] = std::move(held_.front());
        held_.pop_front();
        let_go(oldest, std::move(its));
    }
    step();
}

void name_mill::let_go(std::size_t name, held_lock lock) {
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

void name_mill::revisit_due() {
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

} // namespace turnstile::test
