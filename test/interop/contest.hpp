// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "findings.hpp"
#include "interop_options.hpp"
#include "peer_kind.hpp"
#include "peer_programs.hpp"
#include "shared_counter.hpp"
#include "witness.hpp"

#include "support/dice.hpp"
#include "support/line_process.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <turnstile.hpp>

#include <list>

namespace turnstile::interop {

/// Contenders of Turnstile and of one kind of peer on one path, over and over, on a thread of their
/// own. Each holder reads, increments and writes a counter that nothing else guards.
class contest {
public:
    using clock = std::chrono::steady_clock;

    contest(const interop_options& how, const peer_kind& kind, const peer_programs& programs,
            std::string servers, std::string path);
    contest(const contest&) = delete;
    contest& operator=(const contest&) = delete;
    ~contest();

    /// How many locks the side held that held fewer.
    [[nodiscard]] std::size_t held_by_each() const noexcept;
    /// Whether it came to its end by itself: something went wrong.
    [[nodiscard]] bool ended() const noexcept { return finish_; }
    /// Servers crash: who stands still now is not to blame.
    void disturb(bool on) noexcept { disturbed_ = on; }

    /// Has all contenders finish. Rethrows what failed the run itself.
    [[nodiscard]] findings finish();

private:
    /// Something asked for that did not come yet.
    struct waiting {
        bool on = false;
        clock::time_point since{};
        clock::duration idle_before{};
        std::size_t grants_before = 0;
    };
    /// One contender of Turnstile.
    struct ours {
        std::string name;
        session* on = nullptr;
        bool reads = false; ///< now and then: it uses a shared_mutex, others take it to write
        waiting wait = {};
    };
    /// One contender of the peers.
    struct theirs {
        std::string name;
        bool reads = false;
        std::unique_ptr<test::line_process> process = {};
        std::int64_t session = 0; ///< as far as it told
        waiting wait = {};
        std::size_t failed_in_a_row = 0;
    };

    // contest.cpp
    void start(boost::asio::awaitable<void> side);
    boost::asio::awaitable<void> pause(std::chrono::milliseconds duration);
    boost::asio::awaitable<void> between_locks();
    [[nodiscard]] waiting begin_to_wait() const;
    void enter(const std::string& who, bool shared);
    void overlap(std::string what);
    void violation(std::string what);
    void stop();
    void check_counter();

    // contest_sides.cpp
    boost::asio::awaitable<void> contend(ours& one);
    boost::asio::awaitable<held_lock> take(ours& one, bool shared);
    boost::asio::awaitable<void> hold(ours& one, held_lock& lock, bool shared);
    boost::asio::awaitable<void> contend(theirs& one);
    boost::asio::awaitable<std::string> take_turns(theirs& one);
    boost::asio::awaitable<std::string> ask(theirs& one, std::string_view what);
    void ended_early(theirs& one, const std::string& last_word);

    // contest_watch.cpp
    boost::asio::awaitable<void> watch();
    [[nodiscard]] clock::duration waited(const waiting& one, clock::time_point now) const;
    void watch_waiting(clock::time_point now);
    void watch_line(clock::time_point now);
    void hangs(theirs& one, const std::string& ticket, clock::time_point now);

    const interop_options how_;
    const peer_kind kind_;
    const peer_programs* programs_;
    const std::string servers_;
    const std::string path_;
    test::temp_folder folder_{"turnstile-interop-"};
    shared_counter counter_{folder_.path() / "counter"};
    test::dice dice_;
    witness witness_;

    boost::asio::io_context context_{1};
    std::list<session> sessions_;
    std::list<ours> ours_;
    std::list<theirs> theirs_;

    clock::time_point moved_ = clock::now(); ///< when the line last did
    clock::time_point looked_{};             ///< when the line was last looked at
    clock::duration idle_{};                 ///< in which the line stood still, all told
    std::size_t grants_ = 0;
    std::int64_t increments_ = 0; ///< that were certainly made
    std::int64_t in_doubt_ = 0;   ///< that may have been made
    std::size_t contending_ = 0;
    bool stopped_ = false;

    std::atomic<std::size_t> turnstile_ = 0;
    std::atomic<std::size_t> peers_ = 0;
    std::atomic<bool> disturbed_ = false;
    std::atomic<bool> finish_ = false;
    findings found_;
    std::exception_ptr failure_;
    std::thread thread_;
};

} // namespace turnstile::interop
