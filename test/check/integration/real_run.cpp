#include "real_run.hpp"

#include "check/checker.hpp"
#include "support/fenced_store.hpp"
#include "support/foreign_client.hpp"
#include "support/history_writer.hpp"
#include "support/zookeeper_server.hpp"

#include <turnstile.hpp>

#include <catch2/catch.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

#include <array>
#include <cstdio>
#include <exception>
#include <functional>

namespace turnstile::test {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t rounds = 8;
constexpr std::size_t contenders = 4; // of each of two sessions

std::string hex(std::int64_t id) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(id));
    return text.data();
}

/// One process of the run, as far as the histories are concerned.
struct participant {
    participant(asio::io_context& context, const fs::path& folder, const std::string& name,
                turnstile::session_options how, std::uint16_t store)
        : session{context, std::move(how)}, book{folder, name}, store_port{store} {}

    asio::awaitable<void> contend(std::size_t first_lock) {
        fenced_store_client store{session.get_executor()};
        co_await store.connect(store_port);
        for (std::size_t i = 0; i < rounds; ++i) {
            const std::string lock = "/chaos/lock-" + std::to_string((first_lock + i) % 2);
            const int id = ++last_id;
            turnstile::mutex mutex{session, lock};
            book.write("ask", {{"id", id}, {"lock", lock}, {"kind", "exclusive"}});
            constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);
            const auto patience = std::chrono::milliseconds{i % 4 == 3 ? 1 : 60'000};
            auto [failure, held] = co_await mutex.acquire_for(patience, no_throw);
            if (failure) {
                book.write("fail", {{"id", id}, {"code", failure.message()}});
                continue;
            }
            book.write("grant", {{"id", id},
                                 {"lock", lock},
                                 {"kind", "exclusive"},
                                 {"token", held.fencing_token().str()},
                                 {"session", hex(session.id())},
                                 {"deadline", held.deadline().time_since_epoch().count()}});
            const bool accepted =
                co_await store.write(lock, held.fencing_token(), book.writer(), std::to_string(id));
            CHECK(accepted);
            book.write("release", {{"id", id}});
            const auto [result] = co_await held.release(no_throw);
            book.write("released", {{"id", id}, {"code", result.message()}});
        }
    }

    asio::awaitable<void> live(std::function<void()> ended) {
        co_await session.connect(asio::use_awaitable);
        book.write("start", {{"pid", 1}, {"timeout_ms", session.negotiated_timeout().count()}});
        book.write("session", {{"session", hex(session.id())}});
        for (std::size_t i = 0; i < contenders; ++i) {
            asio::co_spawn(session.get_executor(), contend(i),
                           [this, ended](std::exception_ptr error) {
                               if (error) {
                                   std::rethrow_exception(error);
                               }
                               if (--outstanding == 0) {
                                   session.close([this, ended](const turnstile::error_code&) {
                                       book.write("stop");
                                       ended();
                                   });
                               }
                           });
        }
    }

    turnstile::session session;
    history_writer book;
    std::uint16_t store_port;
    std::size_t outstanding = contenders;
    int last_id = 0;
};

} // namespace

void make_run(const fs::path& folder) {
    zookeeper_server server;
    asio::io_context context;
    history_writer store_book{folder / "history", "store"};
    fenced_store store{context.get_executor(), store_book};
    turnstile::session_options how;
    how.servers = server.address();
    how.timeout = std::chrono::seconds{4};
    how.tick = std::chrono::milliseconds{200};
    participant one{context, folder / "history", "worker-1", how, store.port()};
    participant other{context, folder / "history", "worker-2", how, store.port()};
    std::size_t running = 2;
    for (auto* p : {&one, &other}) {
        auto life = p->live([&] {
            if (--running == 0) {
                store.stop();
            }
        });
        asio::co_spawn(context, std::move(life), [](std::exception_ptr error) {
            if (error) {
                std::rethrow_exception(error);
            }
        });
    }
    context.run_for(std::chrono::seconds{60});
    REQUIRE(running == 0);

    history_writer schedule{folder / "history", "schedule"};
    schedule.write("settings", {{"timeout_ms", how.timeout.count()}, {"servers", 1}});
    schedule.write("heal");
    schedule.write("served", {{"outstanding", 0}});
    for (const char* lock : {"/chaos/lock-0", "/chaos/lock-1"}) {
        foreign_client::options client;
        client.address = server.address();
        std::vector<std::string> names;
        (void)foreign_client{std::move(client)}.children(lock, &names);
        schedule.write(
            "left", {{"lock", lock}, {"children", boost::json::array(names.begin(), names.end())}});
    }
    schedule.write("counters", {{"events", 0}}); // there is no proxy that could count them
    schedule.write("end");
    server.stop();
    fs::create_directories(folder / "server-1");
    turnstile::check::dump_transaction_log(server.folder() / "data" / "version-2",
                                           folder / "server-1" / "transactions.txt");
}

} // namespace turnstile::test
