// SPDX-License-Identifier: BSL-1.0
// The two sides of a contest: a contender of Turnstile, and one of the peers.
#include "contest.hpp"
#include "support/pch.hpp"

namespace turnstile::interop {

namespace asio = boost::asio;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t most_failures_in_a_row = 10;

std::string end_of(const std::filesystem::path& file) {
    constexpr std::size_t much = 2'000;
    std::ifstream in{file, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    return text.size() > much ? text.substr(text.size() - much) : text;
}

} // namespace

asio::awaitable<void> contest::contend(ours& one) {
    while (!finish_) {
        const bool shared = one.reads && dice_.one_in(2);
        if (auto held = co_await take(one, shared))
            co_await hold(one, held, shared);
        co_await between_locks();
    }
}

/// An empty lock where that failed: a violation, unless it was told that the other names are there.
asio::awaitable<held_lock> contest::take(ours& one, bool shared) {
    one.wait = begin_to_wait();
    error_code failure;
    held_lock result;
    if (one.reads || kind_.names != lock_names::turnstile) {
        shared_mutex lock{*one.on, path_, {.names = kind_.names}};
        if (shared)
            std::tie(failure, result) = co_await lock.shared().acquire(no_throw);
        else
            std::tie(failure, result) = co_await lock.acquire(no_throw);
    } else {
        mutex lock{*one.on, path_};
        std::tie(failure, result) = co_await lock.acquire(no_throw);
    }
    one.wait.on = false;
    if (failure && (kind_.excludes || failure != error::wrong_kind))
        violation(one.name + ": acquire failed: " + failure.message());
    const auto took = clock::now() - one.wait.since;
    found_.longest_wait =
        std::max(found_.longest_wait, std::chrono::ceil<std::chrono::milliseconds>(took));
    found_.most_passed = std::max(found_.most_passed, grants_ - one.wait.grants_before);
    co_return result;
}

asio::awaitable<void> contest::hold(ours& one, held_lock& lock, bool shared) {
    enter(one.name, shared);
    ++turnstile_;
    const auto seen = counter_.read();
    co_await pause(dice_.between(0, 1));
    if (!lock.is_held()) {
        violation(one.name + " lost the lock");
    } else if (const auto now = counter_.read(); now != seen) {
        overlap(one.name + " held the lock while the counter went from " + std::to_string(seen) +
                " to " + std::to_string(now));
    } else if (!shared) {
        counter_.write(now + 1);
        ++increments_;
    }
    witness_.leave(one.name);
    const auto [failure] = co_await lock.release(no_throw);
    // Without a server a release ends with the lease. After a crash of the leader a busy machine
    // may take as long to have a new one.
    if (failure == error::unreachable && how_.leader_crashes > 0)
        ++found_.ended_releases;
    else if (failure)
        violation(one.name + ": release failed: " + failure.message());
    moved_ = clock::now();
}

asio::awaitable<void> contest::contend(theirs& one) {
    const auto log = folder_.path() / (one.name + ".log");
    const auto argv =
        programs_->command_line(kind_, one.reads, servers_, path_, how_.timeout, counter_.file());
    while (!finish_) {
        one.wait = begin_to_wait(); // to be ready
        one.process = std::make_unique<test::line_process>(context_.get_executor(), argv, log);
        const auto last_word = co_await take_turns(one);
        one.wait.on = false;
        witness_.leave(one.name);
        if (!finish_)
            ended_early(one, last_word.empty() ? end_of(log) : last_word);
        co_await one.process->end();
    }
    one.process.reset();
}

/// Its last line, where that is none that goes on.
asio::awaitable<std::string> contest::take_turns(theirs& one) {
    auto answer = co_await one.process->line();
    one.wait.on = false;
    if (!answer.starts_with("ready "))
        co_return answer;
    one.session = static_cast<std::int64_t>(std::stoull(answer.substr(6), nullptr, 16));
    moved_ = clock::now();
    while (!finish_) {
        answer = co_await ask(one, "acquire");
        if (answer != "held")
            co_return answer;
        one.failed_in_a_row = 0;
        enter(one.name, one.reads);
        ++peers_;
        co_await pause(dice_.between(0, 1));
        witness_.leave(one.name);
        in_doubt_ += one.reads ? 0 : 1;
        answer = co_await ask(one, "release");
        if (answer != "released")
            co_return answer;
        in_doubt_ -= one.reads ? 0 : 1;
        increments_ += one.reads ? 0 : 1;
        moved_ = clock::now();
        co_await between_locks();
    }
    co_return answer;
}

asio::awaitable<std::string> contest::ask(theirs& one, std::string_view what) {
    one.wait = begin_to_wait();
    auto answer = co_await one.process->ask(what);
    one.wait.on = false;
    co_return answer;
}

void contest::ended_early(theirs& one, const std::string& last_word) {
    if (last_word.starts_with("torn ")) {
        overlap(one.name + ": " + last_word);
    } else if (!one.process->hung_up()) {
        ++found_.failures;
        std::cerr << "interop: " << kind_.name << ", " << one.name << ": " << last_word << '\n';
        if (++one.failed_in_a_row >= most_failures_in_a_row)
            throw std::runtime_error{one.name + " fails each time: " + last_word};
    }
}

} // namespace turnstile::interop
