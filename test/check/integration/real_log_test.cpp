// A run against a real server, its real transaction log, and what a doctored copy of it is worth.
#include "check/checker.hpp"
#include "support/child_process.hpp"
#include "support/fenced_store.hpp"
#include "support/foreign_client.hpp"
#include "support/history_writer.hpp"
#include "support/temp_folder.hpp"
#include "support/zookeeper_server.hpp"

#include <turnstile.hpp>

#include <catch2/catch.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace turnstile::test;

namespace {

constexpr std::size_t rounds = 8;
constexpr std::size_t contenders = 4; // of each of two sessions

std::string hex(std::int64_t id) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(id));
    return text.data();
}

std::string content(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void put(const fs::path& file, const std::string& text) {
    std::ofstream{file, std::ios::binary} << text;
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

/// Leaves history/ and server-1/transactions.txt in the folder.
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
    for (const char* lock : {"/chaos/lock-0", "/chaos/lock-1"}) {
        foreign_client::options client;
        client.address = server.address();
        std::vector<std::string> names;
        (void)foreign_client{std::move(client)}.children(lock, &names);
        schedule.write(
            "left", {{"lock", lock}, {"children", boost::json::array(names.begin(), names.end())}});
    }
    schedule.write("end");
    server.stop();
    fs::create_directories(folder / "server-1");
    turnstile::check::dump_transaction_log(server.folder() / "data" / "version-2",
                                           folder / "server-1" / "transactions.txt");
}

turnstile::check::verdict check(const fs::path& folder) {
    const turnstile::check::run_files files{{folder}};
    return turnstile::check::check_run(files.told, files.log);
}

bool broke(const turnstile::check::verdict& v, const std::string& rule) {
    return std::any_of(v.details.begin(), v.details.end(),
                       [&](const auto& d) { return d.rule == rule; });
}

int run_program(const fs::path& folder, std::string& output) {
    const auto file = folder / "output.txt";
    fs::remove(file);
    child_process program{
        {.argv = {TURNSTILE_CHECK_PROGRAM, "--json", folder.string()}, .output_file = file}};
    REQUIRE(program.wait_for_end(std::chrono::seconds{60}));
    output = content(file);
    return program.exit_status().value_or(-1);
}

/// The history of a worker, to be doctored.
class doctor {
public:
    doctor(const fs::path& folder, const std::string& name)
        : file_{folder / "history" / (name + ".jsonl")} {
        std::istringstream in{content(file_)};
        for (std::string line; std::getline(in, line);) {
            lines.push_back(boost::json::parse(line).as_object());
        }
    }
    void save() const {
        std::string text;
        for (const auto& l : lines) {
            text += boost::json::serialize(l) + '\n';
        }
        put(file_, text);
    }
    /// The n-th line of a kind, counted from 0.
    boost::json::object& nth(const std::string& kind, std::size_t n) {
        for (auto& l : lines) {
            if (std::string_view{l.at("k").as_string()} == kind && n-- == 0) {
                return l;
            }
        }
        throw std::logic_error{"no such line"};
    }

    std::vector<boost::json::object> lines;

private:
    fs::path file_;
};

} // namespace

TEST_CASE("A run on a real server is accepted, and doctored copies are not") {
    const temp_folder original{"turnstile-check-"};
    make_run(original.path());
    std::string output;
    const int exit = run_program(original.path(), output);
    INFO(output);
    REQUIRE(exit == 0);
    output.pop_back();
    const auto summary = boost::json::parse(output.substr(output.rfind('\n') + 1)).as_object();
    CHECK(summary.at("acquisitions").to_number<int>() >= 48);
    CHECK(summary.size() == 10);
    CHECK(check(original.path()).tickets >= 48);
    CHECK(summary.at("violations") == 0);
    CHECK(summary.at("overlap_ms").to_number<double>() == 0);
    CHECK(summary.at("stale_refused") == 0);
    CHECK(summary.at("orphans") == 0);

    const auto log = original.path() / "server-1" / "transactions.txt";
    const auto text = content(log);
    doctor one{original.path(), "worker-1"};
    const auto token = std::string{one.nth("grant", 5).at("token").as_string()};
    const auto zxid = " zxid 0x" + token.substr(token.find_first_not_of('0')) + ' ';

    // Without the transaction that has a character at this place; it may go over several lines.
    const auto without = [](const std::string& all, std::size_t inside) {
        const auto begin = all.rfind('\n', all.rfind(" session 0x", inside)) + 1;
        const auto next = all.find(" session 0x", inside + 1);
        const auto end =
            next == std::string::npos ? all.find("EOF", inside) : all.rfind('\n', next) + 1;
        return all.substr(0, begin) + all.substr(end);
    };

    // One copy is doctored after the other: each is a change to the original run.
    put(log, without(text, text.find(zxid) + 1));
    CHECK(broke(check(original.path()), "exclusion")); // no create
    CHECK(run_program(original.path(), output) == 1);
    CHECK(output.find("no transaction of the log created its ticket") != std::string::npos);

    auto kept = without(text, text.find(";delete:")); // a release, so the others waited in vain
    put(log, kept);
    CHECK(broke(check(original.path()), "exclusion"));
    for (std::size_t at = 0; (at = kept.find(" closeSession ")) != std::string::npos;) {
        kept = without(kept, at);
    }
    put(log, kept);
    CHECK(broke(check(original.path()), "orphan")); // never removed
    put(log, text);
    REQUIRE(check(original.path()).violations == 0);

    const auto altered = [&](const std::function<void(doctor&)>& how) {
        doctor copy{original.path(), "worker-1"};
        how(copy);
        copy.save();
        const auto found = check(original.path());
        one.save();
        return found;
    };
    auto found = altered([](doctor& d) {
        std::size_t other = 0;
        while (d.nth("grant", other).at("lock") == d.nth("grant", 2).at("lock")) {
            ++other;
        }
        std::swap(d.nth("grant", 2).at("token"), d.nth("grant", other).at("token"));
    });
    CHECK(broke(found, "exclusion")); // tickets of another lock
    CHECK(broke(found, "store"));     // and not what the store was shown

    found = altered([](doctor& d) { // believes for longer
        auto& t = d.nth("release", 3).at("t");
        t = t.to_number<std::int64_t>() + 60'000'000'000;
    });
    CHECK(broke(found, "overlap"));
    CHECK(found.overlap_ms > 0);

    found = altered([](doctor& d) { // told as if it were the last
        auto& grant = d.nth("grant", 3);
        auto& release = d.nth("release", 3);
        grant.at("t") = grant.at("t").to_number<std::int64_t>() + 60'000'000'000;
        release.at("t") = release.at("t").to_number<std::int64_t>() + 60'000'000'000;
    });
    CHECK(broke(found, "token"));
    CHECK(broke(found, "order"));

    found = altered([](doctor& d) { // never told how it ended
        std::erase_if(d.lines, [&, id = d.nth("grant", 4).at("id")](const auto& l) {
            return l.at("k") != "ask" && l.contains("id") && l.at("id") == id;
        });
    });
    CHECK(broke(found, "served"));

    found = altered([](doctor& d) { d.nth("session", 0).at("session") = "77"; });
    CHECK(check(original.path()).violations == 0);
    CHECK(found.violations == 0); // the grants name the session too
    found = altered([](doctor& d) {
        for (auto& l : d.lines) {
            if (l.contains("session")) {
                l.at("session") = "77";
            }
        }
    });
    CHECK(broke(found, "exclusion"));

    history_writer store{original.path() / "history", "store"};
    doctor writes{original.path(), "store"};
    store.write("write", {{"worker", "worker-1"},
                          {"id", one.nth("grant", 0).at("id")},
                          {"lock", one.nth("grant", 0).at("lock")},
                          {"token", one.nth("grant", 0).at("token")},
                          {"accepted", true}});
    CHECK(check(original.path()).stale_accepted == 1);
    writes.save();
    CHECK(check(original.path()).violations == 0);
}

TEST_CASE("A log that ends in half a transaction is read up to there") {
    const temp_folder folder{"turnstile-check-"};
    zookeeper_server server;
    {
        foreign_client client{server.address()};
        REQUIRE(client.create("/l", "", create_mode::persistent) == 0);
        for (int i = 0; i < 3; ++i) {
            REQUIRE(client.create("/l/x-lock-", "", create_mode::ephemeral_sequential) == 0);
        }
        client.abandon(); // the last transaction is the third ticket's
    }
    server.kill();
    const auto data = server.folder() / "data" / "version-2";
    const auto log = data / "log.1";
    const auto whole = content(log);
    const auto end = whole.find_last_not_of('\0') + 1;
    const auto tickets = [&] {
        turnstile::check::dump_transaction_log(data, folder.path() / "transactions.txt");
        std::ifstream in{folder.path() / "transactions.txt", std::ios::binary};
        turnstile::check::transaction_log read;
        read.read(in);
        CHECK(read.contradictions().empty());
        return read.in_order().kept.size();
    };
    CHECK(tickets() == 3);
    for (const std::size_t lost : {1, 2, 20, 60, 85}) {
        CAPTURE(lost);
        auto cut = whole;
        std::fill_n(cut.begin() + static_cast<std::ptrdiff_t>(end - lost), lost, '\0');
        put(log, cut);
        CHECK(tickets() == 2);
    }
}

TEST_CASE("A run without a transaction log is not accepted") {
    const temp_folder folder{"turnstile-check-"};
    history_writer{folder.path() / "history", "worker-1"}.write("stop");
    std::string output;
    CHECK(run_program(folder.path(), output) == 2);
    CHECK(output.find("no transaction log") != std::string::npos);
}
