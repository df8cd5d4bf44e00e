#include "contender.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace turnstile::chaos {

namespace asio = boost::asio;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

} // namespace

contender::contender(worker_setting& setting, session& owner, std::uint64_t home,
                     std::uint64_t seed)
    : setting_{setting},
      session_{owner},
      home_{home},
      engine_{seed},
      timer_{owner.get_executor()},
      store_{owner.get_executor()} {}

asio::awaitable<void> contender::run() {
    while (!setting_.healed) {
        const bool granted = co_await round(any_manner());
        if (!granted) {
            co_await rest(milliseconds{2});
        }
    }
    while (!served_) {
        served_ = co_await round(manner::patient);
        if (!served_) {
            co_await rest(milliseconds{50}); // what failed was begun during the faults
        }
    }
}

void contender::cancel() { cancellation_.emit(asio::cancellation_type::terminal); }

asio::awaitable<bool> contender::round(manner how) {
    const auto what = any_parts();
    for (const auto& each : what) {
        setting_.book.ask(each.id, each.lock, each.takes);
    }
    auto [failure, held] = co_await ask(what, how);
    if (failure) {
        for (const auto& each : what) {
            setting_.book.fail(each.id, failure);
        }
        co_return false;
    }
    const auto tokens = held.fencing_tokens();
    for (std::size_t i = 0; i < what.size(); ++i) {
        setting_.book.grant(what[i].id, what[i].lock, tokens.at(i), held.deadline(), session_.id(),
                            what.size() > 1);
    }
    watch(held, what);
    co_await hold(held, what.front());
    co_await let_go(std::move(held), what);
    if (lost_) {
        co_await write_late(what.front(), tokens.front());
    }
    co_return true;
}

asio::awaitable<contender::outcome> contender::ask(parts what, manner how) {
    if (what.size() > 1) {
        std::vector<lock_part> locks;
        for (const auto& each : what) {
            locks.push_back(each.lock.sort() == lock_sort::single_node
                                ? lock_part{single_node_mutex{session_, each.lock.path()}}
                                : lock_part{mutex{session_, each.lock.path()}});
        }
        co_return co_await ask(multi_lock{std::move(locks)}, how);
    }
    const auto& [lock, takes, id] = what.front();
    switch (lock.sort()) {
    case lock_sort::semaphore:
        co_return co_await ask(semaphore{session_, lock.path(), lock.limit()}, how, takes);
    case lock_sort::single_node:
        co_return co_await ask(single_node_mutex{session_, lock.path()}, how);
    case lock_sort::mutex:
        break;
    }
    co_return co_await ask(mutex{session_, lock.path()}, how);
}

template <class Lock, class... Count>
asio::awaitable<contender::outcome> contender::ask(Lock lock, manner how, Count... count) {
    auto token = asio::bind_cancellation_slot(cancellation_.slot(), no_throw);
    outcome result;
    switch (how) {
    case manner::patient:
        std::tie(result.failure, result.held) = co_await lock.acquire(count..., token);
        break;
    case manner::bounded: {
        const milliseconds limit{engine_() % 500};
        std::tie(result.failure, result.held) = co_await lock.acquire_for(count..., limit, token);
        break;
    }
    case manner::impatient:
        std::tie(result.failure, result.held) = co_await lock.try_acquire(count..., token);
        break;
    }
    co_return result;
}

void contender::watch(const held_lock& held, parts what) {
    holding_ = what.front().id;
    lost_ = false;
    held.lost([this, what = std::move(what)](const error_code& why) {
        if (why == condition::lock_lost) {
            for (const auto& each : what) {
                setting_.book.lost(each.id, why);
            }
            if (holding_ == what.front().id) {
                lost_ = true;
                timer_.cancel();
            }
        }
    });
}

asio::awaitable<void> contender::hold(held_lock& held, part what) {
    const auto token = held.fencing_token();
    if (!one_in(4)) {
        co_await write(what, token);
    }
    if (!lost_) {
        co_await rest(any_hold());
    }
    if (one_in(8)) { // by a program that does not look whether it still holds the lock
        co_await write(what, token);
    }
}

asio::awaitable<void> contender::write(part what, fencing_token token) {
    if (!what.lock.compares_tokens()) {
        co_return;
    }
    if (!std::exchange(store_open_, true)) {
        co_await store_.connect(setting_.store_port);
    }
    std::string path = what.lock.path();
    std::string worker = setting_.book.name();
    std::string number = std::to_string(what.id);
    co_await store_.write(std::move(path), token, std::move(worker), std::move(number));
}

asio::awaitable<void> contender::let_go(held_lock held, parts what) {
    holding_ = 0;
    const bool in_background = one_in(4);
    for (const auto& each : what) {
        setting_.book.release(each.id, in_background);
    }
    if (in_background) {
        held = held_lock{};
        co_return;
    }
    const auto [result] = co_await held.release(no_throw);
    for (const auto& each : what) {
        setting_.book.released(each.id, result);
    }
}

asio::awaitable<void> contender::rest(microseconds duration) {
    timer_.expires_after(duration);
    co_await timer_.async_wait(no_throw);
}

/// What tokens are for: a write that was still on its way when the news of the loss came.
asio::awaitable<void> contender::write_late(part what, fencing_token token) {
    co_await rest(milliseconds{50 + engine_() % 1'500});
    co_await write(what, token);
}

lock_choice contender::any_lock() { return {(one_in(8) ? engine_() : home_) % setting_.locks}; }

/// Mostly one. Several are neighbours, since a lock that is stuck holds all up that wait with it.
contender::parts contender::any_parts() {
    const auto lock = any_lock();
    parts result{{lock, any_count(lock), ++setting_.last_id}};
    if (lock.sort() == lock_sort::semaphore || !one_in(8)) {
        return result;
    }
    constexpr std::uint64_t neighbours = 6;
    const auto first = lock.number / neighbours * neighbours;
    const auto most = 2 + engine_() % 2;
    for (std::uint64_t i = 1; i < neighbours && result.size() < most; ++i) {
        const lock_choice next{first + (lock.number + i) % neighbours};
        if (next.number < setting_.locks && next.sort() != lock_sort::semaphore) {
            result.push_back({next, 1, ++setting_.last_id});
        }
    }
    return result;
}

std::uint32_t contender::any_count(const lock_choice& lock) {
    return 1 + static_cast<std::uint32_t>(engine_() % lock.limit());
}

contender::manner contender::any_manner() {
    const auto draw = engine_() % 10;
    return draw < 7 ? manner::patient : draw < 9 ? manner::bounded : manner::impatient;
}

microseconds contender::any_hold() {
    if (one_in(200)) { // most losses come to these
        return milliseconds{200 + engine_() % 1'800};
    }
    return one_in(2) ? microseconds{0} : microseconds{engine_() % setting_.longest_hold.count()};
}

bool contender::one_in(unsigned n) { return engine_() % n == 0; }

} // namespace turnstile::chaos
