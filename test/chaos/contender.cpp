// SPDX-License-Identifier: BSL-1.0
#include "contender.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <utility>

namespace turnstile::chaos {

namespace asio = boost::asio;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

lock_view as_part(session& owner, const worker_book::wish& what) {
    switch (what.lock.sort()) {
    case lock_sort::single_node:
        return single_node_mutex{owner, what.lock.path()};
    case lock_sort::shared: {
        const shared_mutex lock{owner, what.lock.path()};
        return what.reads ? lock.shared() : lock_view{lock};
    }
    case lock_sort::semaphore: {
        const semaphore lock{owner, what.lock.path(), what.lock.limit()};
        return lock.permits(what.takes);
    }
    case lock_sort::election:
        return election{owner, what.lock.path()}.candidate(std::to_string(what.id));
    case lock_sort::mutex:
    case lock_sort::guarded:
        break;
    }
    return mutex{owner, what.lock.path()};
}

} // namespace

contender::contender(worker_setting& setting, session& owner, std::uint64_t home,
                     std::uint64_t seed)
    : setting_{setting},
      session_{owner},
      lots_{setting, home, seed},
      timer_{owner.get_executor()},
      store_{owner.get_executor()} {}

asio::awaitable<void> contender::run() {
    while (!setting_.healed) {
        const bool granted = co_await play_round(lots_.any_manner());
        if (!granted)
            co_await rest(milliseconds{2});
    }
    while (!served_) {
        served_ = co_await play_round(manner::patient);
        if (!served_)
            co_await rest(milliseconds{50}); // it failed because it began during the faults
    }
}

void contender::cancel() { cancellation_.emit(asio::cancellation_type::terminal); }

asio::awaitable<bool> contender::play_round(manner how) {
    auto what = lots_.any_parts();
    for (const auto& each : what)
        setting_.book.ask(each, what.size() > 1);
    auto [failure, held] = co_await acquire(what, how);
    if (failure) {
        for (const auto& each : what)
            setting_.book.fail(each.id, failure);
        co_return false;
    }
    const auto tokens = held.fencing_tokens();
    for (std::size_t i = 0; i < what.size(); ++i)
        setting_.book.grant(what[i], tokens.at(i), held.deadline(), session_.id(), what.size() > 1);
    watch_for_loss(held, what);
    const auto sort = what.front().lock.sort();
    if (what.size() == 1 && sort == lock_sort::election)
        heed_requests(held, what.front().id);
    co_await hold(held, what.front());
    if (what.size() == 1 && sort == lock_sort::shared)
        co_await change_hold(held, what.front());
    const auto token = held.fencing_token();
    co_await let_go(std::move(held), what);
    if (lost_)
        co_await write_late(what.front(), token);
    co_return true;
}

asio::awaitable<contender::outcome> contender::acquire(parts what, manner how) {
    stood_.reset();
    if (what.size() > 1) {
        std::vector<lock_view> locks;
        for (const auto& each : what)
            locks.push_back(as_part(session_, each));
        co_return co_await acquire_lock(multi_lock{locks}, how);
    }
    const auto& [id, lock, takes, reads] = what.front();
    switch (lock.sort()) {
    case lock_sort::semaphore:
        co_return co_await acquire_lock(
            semaphore{session_, lock.path(), lock.limit()}.permits(takes), how);
    case lock_sort::single_node:
        co_return co_await acquire_lock(single_node_mutex{session_, lock.path()}, how);
    case lock_sort::shared:
        if (reads)
            co_return co_await acquire_lock(shared_mutex{session_, lock.path()}.shared(), how);
        if (!lots_.one_in(4))
            co_return co_await acquire_lock(shared_mutex{session_, lock.path()}, how);
        break; // a mutex of that path is a writer, too
    case lock_sort::election:
        stood_.emplace(session_, lock.path());
        if (lots_.one_in(2)) // of these alone, whose tickets other sessions watch as well
            co_return co_await acquire_lock(
                stood_->candidate(std::to_string(id)).asking(setting_.book.name()), how);
        co_return co_await acquire_lock(stood_->candidate(std::to_string(id)), how);
    case lock_sort::mutex:
    case lock_sort::guarded:
        break;
    }
    co_return co_await acquire_lock(mutex{session_, lock.path()}, how);
}

template <class Lock>
asio::awaitable<contender::outcome> contender::acquire_lock(Lock lock, manner how) {
    auto token = asio::bind_cancellation_slot(cancellation_.slot(), no_throw);
    outcome result;
    switch (how) {
    case manner::patient:
        std::tie(result.failure, result.held) = co_await lock.acquire(token);
        break;
    case manner::bounded: {
        const auto limit = lots_.up_to(500);
        std::tie(result.failure, result.held) = co_await lock.acquire_for(limit, token);
        break;
    }
    case manner::impatient:
        std::tie(result.failure, result.held) = co_await lock.try_acquire(token);
        if (!result.failure && !result.held)
            result.failure = error::would_block;
        break;
    }
    co_return result;
}

void contender::watch_for_loss(const held_lock& held, parts what) {
    holding_ = what.front().id;
    lost_ = false;
    held.wait_lost([this, what = std::move(what)](const error_code& why) {
        if (why == condition::lock_lost) {
            for (const auto& each : what)
                setting_.book.lost(each.id, why);
            if (holding_ == what.front().id) {
                lost_ = true;
                timer_.cancel();
            }
        }
    });
}

void contender::heed_requests(const held_lock& held, std::uint64_t id) {
    held.wait_yield([this, id](const error_code& failure, const yield_request&) {
        if (failure || holding_ != id)
            return;
        setting_.book.yielded(id);
        timer_.cancel();
    });
}

asio::awaitable<void> contender::hold(held_lock& held, part& what) {
    if (what.lock.sort() == lock_sort::guarded)
        co_return co_await count_up(held, what);
    if (what.lock.sort() == lock_sort::election && stood_ && lots_.one_in(3))
        co_await held.proclaim(std::to_string(what.id) + " proclaimed", no_throw);
    const auto token = held.fencing_token();
    if (!lots_.one_in(4))
        co_await write(what, token);
    if (!lost_)
        co_await rest(lots_.any_hold());
    if (lots_.one_in(8)) // a program may write without a look whether it still holds the lock
        co_await write(what, token);
}

/// This does what a careless program would: it reads, and writes one more, without a look whether
/// it still holds the lock, and with neither a version nor a token.
asio::awaitable<void> contender::count_up(held_lock& held, const part& what) {
    static const error_code no_node{-101, zookeeper_category()};
    const auto node = what.lock.counter();
    do {
        const auto [unread, found] = co_await session_.read(node, no_throw);
        if (unread && unread != no_node)
            co_return;
        const auto value = unread ? 1 : std::stoull(found.data) + 1;
        co_await rest(lots_.any_hold());
        node_writes writes;
        if (unread)
            writes.create(node, std::to_string(value));
        else
            writes.set(node, std::to_string(value));
        setting_.book.count(what.id, value);
        const auto [result, written] = co_await held.write_guarded(writes, no_throw);
        setting_.book.counted(what.id, result, result ? -1 : written.front().version);
    } while (lots_.one_in(3));
}

asio::awaitable<void> contender::change_hold(held_lock& held, part& what) {
    while (!lost_ && lots_.one_in(3))
        if (what.reads)
            co_await upgrade(held, what);
        else
            co_await downgrade(held, what);
}

asio::awaitable<void> contender::downgrade(held_lock& held, part& what) {
    what.reads = true;
    setting_.book.downgrade(what.id);
    const auto [result] = co_await held.downgrade(no_throw);
    setting_.book.downgraded(what.id, result);
    what.reads = !result; // after a failure it is a writer as before
    if (!lost_)
        co_await rest(lots_.any_hold());
}

asio::awaitable<void> contender::upgrade(held_lock& held, part& what) {
    setting_.book.upgrade(what.id);
    const auto [result] = co_await held.try_upgrade(no_throw);
    setting_.book.upgraded(what.id, result, held.fencing_token());
    what.reads = static_cast<bool>(result);
    if (!result)
        co_await hold(held, what);
}

asio::awaitable<void> contender::write(part what, fencing_token token) {
    if (what.reads || !what.lock.compares_tokens())
        co_return;
    if (!std::exchange(store_open_, true))
        co_await store_.connect(setting_.store_port);
    std::string path = what.lock.path();
    std::string worker = setting_.book.name();
    std::string number = std::to_string(what.id);
    co_await store_.write(std::move(path), token, std::move(worker), std::move(number));
}

asio::awaitable<void> contender::let_go(held_lock held, parts what) {
    holding_ = 0;
    const bool in_background = lots_.one_in(4);
    for (const auto& each : what)
        setting_.book.release(each.id, in_background);
    if (in_background) {
        held = held_lock{};
        co_return;
    }
    const auto [result] = co_await held.release(no_throw);
    for (const auto& each : what)
        setting_.book.released(each.id, result);
}

asio::awaitable<void> contender::rest(microseconds duration) {
    timer_.expires_after(duration);
    co_await timer_.async_wait(no_throw);
}

asio::awaitable<void> contender::write_late(part what, fencing_token token) {
    co_await rest(milliseconds{50} + lots_.up_to(1'500));
    co_await write(what, token);
}

} // namespace turnstile::chaos
