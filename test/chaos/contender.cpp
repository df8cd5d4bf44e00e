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
    const auto path = setting_.lock_path(any_lock());
    mutex lock{session_, path};
    const auto id = ++setting_.last_id;
    setting_.book.ask(id, path);

    error_code failure;
    held_lock held;
    auto token = asio::bind_cancellation_slot(cancellation_.slot(), no_throw);
    switch (how) {
    case manner::patient:
        std::tie(failure, held) = co_await lock.acquire(token);
        break;
    case manner::bounded: {
        const milliseconds limit{engine_() % 500};
        std::tie(failure, held) = co_await lock.acquire_for(limit, token);
        break;
    }
    case manner::impatient:
        std::tie(failure, held) = co_await lock.try_acquire(token);
        break;
    }
    if (failure) {
        setting_.book.fail(id, failure);
        co_return false;
    }
    setting_.book.grant(id, path, held, session_.id());
    watch(held, id);
    co_await hold(held, id, path);
    const auto token_of_grant = held.fencing_token();
    co_await let_go(std::move(held), id);
    if (lost_) {
        co_await write_late(path, token_of_grant, id);
    }
    co_return true;
}

void contender::watch(const held_lock& held, std::uint64_t id) {
    holding_ = id;
    lost_ = false;
    held.lost([this, id](const error_code& why) {
        if (why == condition::lock_lost) {
            setting_.book.lost(id, why);
            if (holding_ == id) {
                lost_ = true;
                timer_.cancel();
            }
        }
    });
}

asio::awaitable<void> contender::hold(held_lock& held, std::uint64_t id, const std::string& path) {
    const auto token = held.fencing_token();
    if (!one_in(4)) {
        co_await write(path, token, id);
    }
    if (!lost_) {
        co_await rest(any_hold());
    }
    if (one_in(8)) { // by a program that does not look whether it still holds the lock
        co_await write(path, token, id);
    }
}

asio::awaitable<void> contender::write(const std::string& path, fencing_token token,
                                       std::uint64_t id) {
    if (!std::exchange(store_open_, true)) {
        co_await store_.connect(setting_.store_port);
    }
    std::string lock = path;
    std::string worker = setting_.book.name();
    std::string number = std::to_string(id);
    co_await store_.write(std::move(lock), token, std::move(worker), std::move(number));
}

asio::awaitable<void> contender::let_go(held_lock held, std::uint64_t id) {
    holding_ = 0;
    const bool in_background = one_in(4);
    setting_.book.release(id, in_background);
    if (in_background) {
        held = held_lock{};
        co_return;
    }
    const auto [result] = co_await held.release(no_throw);
    setting_.book.released(id, result);
}

asio::awaitable<void> contender::rest(microseconds duration) {
    timer_.expires_after(duration);
    co_await timer_.async_wait(no_throw);
}

/// What tokens are for: a write that was still on its way when the news of the loss came.
asio::awaitable<void> contender::write_late(const std::string& path, fencing_token token,
                                            std::uint64_t id) {
    co_await rest(milliseconds{50 + engine_() % 1'500});
    co_await write(path, token, id);
}

std::uint64_t contender::any_lock() { return (one_in(8) ? engine_() : home_) % setting_.locks; }

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
