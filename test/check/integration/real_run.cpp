// SPDX-License-Identifier: BSL-1.0
#include "real_run.hpp"

#include "check/checker.hpp"
#include "support/fenced_store.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/history_writer.hpp"
#include "support/wire_notes.hpp"
#include "support/zookeeper_server.hpp"

#include <turnstile.hpp>

#include <catch2/catch.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

#include <exception>
#include <functional>

namespace turnstile::test {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t contenders = 4; // coroutines of each of the two sessions
constexpr std::size_t rounds = 8;     // acquires of each of these
constexpr const char* robbed_lock = "/chaos/lock-2";

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

/// Deletes the only ticket under a lock path, as another program.
using ticket_deleter = std::function<void(const std::string& lock)>;

/// One process of the run, as far as the histories are concerned: a session, and the history of
/// what it does and is told. live() runs all of it.
struct participant {
    participant(asio::io_context& context, const fs::path& folder, const std::string& name,
                turnstile::session_options how, std::uint16_t store)
        : session{context, std::move(how)}, book{folder, name}, store_port{store} {}

    /// Takes the two locks in turn, and writes to the store under each. One acquire of four has a
    /// patience of only 1 ms, so that some fail.
    asio::awaitable<void> contend(std::size_t first_lock) {
        fenced_store_client store{session.get_executor()};
        co_await store.connect(store_port);
        for (std::size_t i = 0; i < rounds; ++i) {
            const std::string lock = "/chaos/lock-" + std::to_string((first_lock + i) % 2);
            const int id = ask(lock);
            turnstile::mutex mutex{session, lock};
            const auto patience = std::chrono::milliseconds{i % 4 == 3 ? 1 : 60'000};
            auto [failure, held] = co_await mutex.acquire_for(patience, no_throw);
            if (failure) {
                book.write("fail", {{"id", id}, {"code", failure.message()}});
                continue;
            }
            granted(id, lock, held);
            const bool accepted =
                co_await store.write(lock, held.fencing_token(), book.writer(), std::to_string(id));
            CHECK(accepted);
            co_await let_go(id, held);
        }
    }

    /// Writes down an acquire that begins. Returns its id.
    int ask(const std::string& lock) {
        const int id = ++last_id;
        book.write("ask", {{"id", id}, {"lock", lock}, {"kind", "exclusive"}});
        return id;
    }

    void granted(int id, const std::string& lock, const turnstile::held_lock& held) {
        book.write("grant", {{"id", id},
                             {"lock", lock},
                             {"token", held.fencing_token().str()},
                             {"session", history_hex(session.id())},
                             {"deadline", held.deadline().time_since_epoch().count()}});
    }

    asio::awaitable<void> let_go(int id, turnstile::held_lock& held) {
        book.write("release", {{"id", id}});
        const auto [result] = co_await held.release(no_throw);
        book.write("released", {{"id", id}, {"code", "system:0 " + result.message()}});
        CHECK(!result);
    }

    /// Takes a lock, has its ticket deleted, hears of that, and takes the lock once more.
    asio::awaitable<void> lose(ticket_deleter deleter) {
        const std::string lock = robbed_lock;
        turnstile::mutex mutex{session, lock};
        const int id = ask(lock);
        auto held = co_await mutex.acquire(asio::use_awaitable);
        granted(id, lock, held);
        // After a beat its session watches its own ticket. So at least one event is to be seen.
        asio::steady_timer beat{session.get_executor(), session.negotiated_timeout() / 4};
        co_await beat.async_wait(asio::use_awaitable);
        deleter(lock);
        const auto [why] = co_await held.wait_lost(no_throw);
        book.write("lost", {{"id", id}, {"why", why.message()}});
        const int again = ask(lock);
        held = co_await mutex.acquire(asio::use_awaitable);
        granted(again, lock, held);
        beat.expires_after(session.negotiated_timeout() / 4); // longer than the checker's grace
        co_await beat.async_wait(asio::use_awaitable);
        co_await let_go(again, held);
    }

    /// Connects, runs all contenders, and lose() if there is a deleter. When all these have ended,
    /// it closes the session and calls `ended`.
    asio::awaitable<void> live(std::function<void()> ended, ticket_deleter deleter) {
        co_await session.connect(asio::use_awaitable);
        book.write("start", {{"pid", 1}, {"timeout_ms", session.negotiated_timeout().count()}});
        book.write("session", {{"session", history_hex(session.id())}});
        const auto one_less = [this, ended](std::exception_ptr error) {
            if (error)
                std::rethrow_exception(error);
            if (--outstanding == 0)
                session.close([this, ended](const turnstile::error_code&) {
                    book.write("stop");
                    ended();
                });
        };
        for (std::size_t i = 0; i < contenders; ++i) {
            asio::co_spawn(session.get_executor(), contend(i), one_less);
        }
        if (deleter) {
            ++outstanding;
            asio::co_spawn(session.get_executor(), lose(deleter), one_less);
        }
    }

    turnstile::session session;
    history_writer book;
    std::uint16_t store_port;
    std::size_t outstanding = contenders; // coroutines that have not ended
    int last_id = 0;                      // of an acquire
};

} // namespace

void make_run(const fs::path& folder) {
    zookeeper_server server;
    asio::io_context context;
    history_writer store_book{folder / "history", "store"};
    fenced_store store{context.get_executor(), store_book};
    turnstile::session_options how;
    wire_notes notes{folder / "history", "proxy-1"};
    frame_proxy proxy{server.host(), server.port(), nullptr, &notes};
    how.servers = proxy.address();
    how.timeout = std::chrono::seconds{4};
    how.tick = std::chrono::milliseconds{200};
    participant one{context, folder / "history", "worker-1", how, store.port()};
    participant other{context, folder / "history", "worker-2", how, store.port()};
    history_writer schedule{folder / "history", "schedule"};
    schedule.write("settings",
                   {{"timeout_ms", how.timeout.count()}, {"servers", 1}, {"proxies", 1}});
    const auto delete_ticket = [&](const std::string& lock) {
        foreign_client hand{server.address()};
        std::vector<std::string> names;
        REQUIRE(hand.children(lock, &names) == 0);
        REQUIRE(names.size() == 1);
        const auto path = lock + '/' + names.front();
        const auto since = history_now();
        REQUIRE(hand.remove(path) == 0);
        schedule.write("deleted", {{"path", path}, {"how", "ticket"}, {"since", since}});
    };
    std::size_t running = 2;
    for (auto* p : {&one, &other}) {
        auto life = p->live(
            [&] {
                if (--running == 0)
                    store.stop();
            },
            p == &one ? ticket_deleter{delete_ticket} : ticket_deleter{});
        asio::co_spawn(context, std::move(life), [](std::exception_ptr error) {
            if (error) {
                std::rethrow_exception(error);
            }
        });
    }
    context.run_for(std::chrono::seconds{60});
    REQUIRE(running == 0);

    // What a schedule writes at the end of a run, and the log of the server.
    schedule.write("heal");
    schedule.write("served", {{"outstanding", 0}});
    for (const char* lock : {"/chaos/lock-0", "/chaos/lock-1", robbed_lock}) {
        foreign_client::options client;
        client.address = server.address();
        std::vector<std::string> names;
        (void)foreign_client{std::move(client)}.children(lock, &names);
        schedule.write(
            "left", {{"lock", lock}, {"children", boost::json::array(names.begin(), names.end())}});
    }
    schedule.write("counters",
                   {{"events", proxy.stats().count(direction::to_client, op::watch_event)}});
    notes.flush();
    schedule.write("end");
    server.stop();
    fs::create_directories(folder / "server-1");
    turnstile::check::dump_transaction_log(server.folder() / "data" / "version-2",
                                           folder / "server-1" / "transactions.txt");
}

} // namespace turnstile::test
