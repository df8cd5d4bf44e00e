// SPDX-License-Identifier: BSL-1.0
#include "contest.hpp"
#include "support/pch.hpp"

namespace turnstile::interop {

namespace asio = boost::asio;
using std::chrono::milliseconds;

contest::contest(const interop_options& how, const peer_kind& kind, const peer_programs& programs,
                 std::string servers, std::string path)
    : how_{how},
      kind_{kind},
      programs_{&programs},
      servers_{std::move(servers)},
      path_{std::move(path)},
      dice_{how.seed, kind.name} {
    session_options options;
    options.servers = servers_;
    options.timeout = how_.timeout;
    options.tick = how_.tick;
    options.label = "interop";
    options.log.level = log_level::error;
    test::adapt(options, how_.settings);
    for (std::size_t i = 0; i < how_.sessions; ++i) {
        auto& s = sessions_.emplace_back(context_, options);
        for (std::size_t j = 0; j < how_.per_session; ++j) {
            ours_.push_back({.name = "turnstile " + std::to_string(ours_.size()),
                             .on = &s,
                             .reads = i % 2 == 1});
        }
    }
    for (std::size_t i = 0; i < how_.peers; ++i)
        theirs_.push_back({.name = "peer " + std::to_string(i), .reads = kind.reads(i)});
    for (auto& one : ours_)
        start(contend(one));
    for (auto& one : theirs_)
        start(contend(one));
    start(watch());
    // The thread outlives the peers, whose processes end with whom started them.
    thread_ = std::thread{[this] { context_.run(); }};
}

contest::~contest() {
    if (thread_.joinable()) {
        asio::post(context_, [this] { stop(); });
        thread_.join();
    }
}

void contest::start(asio::awaitable<void> side) {
    ++contending_;
    asio::co_spawn(context_, std::move(side), [this](std::exception_ptr failure) {
        --contending_;
        if (failure) {
            failure_ = failure_ ? failure_ : failure;
            stop();
        }
    });
}

asio::awaitable<void> contest::pause(milliseconds duration) {
    asio::steady_timer timer{context_, duration};
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> contest::between_locks() {
    // So that the line is now long, now short or empty.
    if (dice_.one_in(2))
        co_await pause(dice_.between(0, 6));
}

contest::waiting contest::begin_to_wait() const { return {true, clock::now(), idle_, grants_}; }

void contest::enter(const std::string& who, bool shared) {
    moved_ = clock::now();
    ++grants_;
    if (const auto other = witness_.enter(who, shared); !other.empty())
        overlap(who + " was granted the lock while " + other + " held it");
}

void contest::overlap(std::string what) {
    found_.overlaps += stopped_ ? 0 : 1;
    violation(std::move(what));
}

void contest::violation(std::string what) {
    if (!stopped_) {
        found_.violations.push_back(std::move(what));
        stop();
    }
}

void contest::stop() {
    finish_ = true;
    stopped_ = true;
    for (auto& one : theirs_)
        if (one.process)
            one.process->hang_up();
    for (auto& s : sessions_)
        s.close(asio::detached);
}

std::size_t contest::held_by_each() const noexcept {
    return std::min<std::size_t>(turnstile_, peers_);
}

void contest::check_counter() {
    const auto value = counter_.read();
    if (!stopped_ && (value < increments_ || value > increments_ + in_doubt_)) {
        found_.violations.push_back("the counter is " + std::to_string(value) + " after " +
                                    std::to_string(increments_) + " increments, and " +
                                    std::to_string(in_doubt_) + " in doubt");
    }
}

findings contest::finish() {
    finish_ = true;
    thread_.join();
    if (failure_)
        std::rethrow_exception(failure_);
    check_counter();
    found_.turnstile = turnstile_;
    found_.peers = peers_;
    return found_;
}

} // namespace turnstile::interop
