// SPDX-License-Identifier: BSL-1.0
// A run against a real server, its real transaction log, and what a doctored copy of it is worth.
#include "history_doctor.hpp"
#include "real_run.hpp"

#include "check/checker.hpp"
#include "support/child_process.hpp"
#include "support/foreign_client.hpp"
#include "support/history_writer.hpp"
#include "support/temp_folder.hpp"
#include "support/zookeeper_server.hpp"

#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <chrono>
#include <functional>

namespace fs = std::filesystem;
using namespace turnstile::test;

namespace {

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
    const auto good = check(original.path());
    CHECK(good.tickets >= 48);
    CHECK(good.downgrades == 32); // each of the four writers, each time
    CHECK(summary.at("violations") == 0);
    CHECK(summary.at("overlap_ms").to_number<double>() == 0);
    CHECK(summary.at("stale_refused") == 0);
    CHECK(summary.at("orphans") == 0);

    const auto log = original.path() / "server-1" / "transactions.txt";
    const auto text = content(log);
    history_doctor one{original.path(), "worker-1"};
    const auto token = std::string{one.nth("grant", 5).at("token").as_string()};
    const auto first = token.find_first_not_of('0');
    const auto zxid = " zxid 0x" + token.substr(first, token.find('-') - first) + ' ';

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

    const auto altered = [&](const std::function<void(history_doctor&)>& how) {
        history_doctor copy{original.path(), "worker-1"};
        how(copy);
        copy.save();
        const auto found = check(original.path());
        one.save();
        return found;
    };
    auto found = altered([](history_doctor& d) {
        std::size_t other = 0;
        while (d.nth("grant", other).at("lock") == d.nth("grant", 2).at("lock")) {
            ++other;
        }
        std::swap(d.nth("grant", 2).at("token"), d.nth("grant", other).at("token"));
    });
    CHECK(broke(found, "exclusion")); // tickets of another lock
    CHECK(broke(found, "store"));     // and not what the store was shown

    found = altered([](history_doctor& d) { // believes for longer
        auto& t = d.nth("release", 3).at("t");
        t = t.to_number<std::int64_t>() + 60'000'000'000;
    });
    CHECK(broke(found, "overlap"));
    CHECK(found.overlap_ms > 0);

    found = altered([](history_doctor& d) { // told as if it were the last
        auto& grant = d.nth("grant", 3);
        auto& release = d.nth("release", 3);
        grant.at("t") = grant.at("t").to_number<std::int64_t>() + 60'000'000'000;
        release.at("t") = release.at("t").to_number<std::int64_t>() + 60'000'000'000;
    });
    CHECK(broke(found, "token"));
    CHECK(broke(found, "order"));

    found = altered([](history_doctor& d) { // never told how it ended
        std::erase_if(d.lines, [&, id = d.nth("grant", 4).at("id")](const auto& l) {
            return l.at("k") != "ask" && l.contains("id") && l.at("id") == id;
        });
    });
    CHECK(broke(found, "served"));

    found = altered([](history_doctor& d) { d.nth("session", 0).at("session") = "77"; });
    CHECK(check(original.path()).violations == 0);
    CHECK(found.violations == 0); // the grants name the session too
    found = altered([](history_doctor& d) {
        for (auto& l : d.lines) {
            if (l.contains("session")) {
                l.at("session") = "77";
            }
        }
    });
    CHECK(broke(found, "exclusion"));

    // What the proxy saw.
    const history_doctor seen{original.path(), "proxy-1"};
    const auto seen_otherwise = [&](const std::function<void(history_doctor&)>& how) {
        history_doctor copy{original.path(), "proxy-1"};
        how(copy);
        copy.save();
        const auto result = check(original.path());
        seen.save();
        return result;
    };
    found = seen_otherwise([](history_doctor& d) { std::erase(d.lines, d.nth("event", 0)); });
    CHECK(broke(found, "history"));
    history_writer schedule{original.path() / "history", "schedule"};
    history_doctor told{original.path(), "schedule"};
    schedule.write("counters", {{"events", 1}});   // one more of them
    found = seen_otherwise([](history_doctor& d) { // to a stranger
        auto event = d.nth("event", 0);
        auto connected = d.nth("connected", 0);
        connected.at("link") = event.at("link") = 99;
        connected.at("session") = event.at("session") = "77";
        d.lines.push_back(connected);
        d.lines.push_back(event);
    });
    CHECK(found.violations == 1);
    CHECK(broke(found, "notice"));
    found = seen_otherwise([](history_doctor& d) {
        d.lines.push_back(d.nth("event", 0));
        d.lines.push_back(d.nth("event", 0));
    });
    CHECK(broke(found, "notice")); // three times: twice may be right of an own ticket
    told.save();

    // A ticket that another hand deleted: its holder is told, and goes on believing.
    const auto believe_on = [](history_doctor& d) {
        auto& t = d.nth("lost", 0).at("t");
        t = t.to_number<std::int64_t>() + 1'000'000'000;
    };
    CHECK(broke(altered(believe_on), "overlap"));
    found = seen_otherwise([&](history_doctor& d) { // it was not told
        std::erase_if(d.lines, [](const auto& l) { return l.at("k") == "gone"; });
        d.save();
        CHECK(altered(believe_on).violations == 0);
    });
    CHECK(found.violations == 0);

    history_writer store{original.path() / "history", "store"};
    history_doctor writes{original.path(), "store"};
    std::size_t early = 0;
    while (one.nth("grant", early).at("lock") != "/chaos/lock-0") {
        ++early;
    }
    store.write("write", {{"worker", "worker-1"},
                          {"id", one.nth("grant", early).at("id")},
                          {"lock", one.nth("grant", early).at("lock")},
                          {"token", one.nth("grant", early).at("token")},
                          {"accepted", true}});
    CHECK(check(original.path()).stale_accepted == 1);
    writes.save();
    CHECK(check(original.path()).violations == 0);
}

TEST_CASE("What a reader writes on its ticket is read out of the log") {
    const temp_folder folder{"turnstile-check-"};
    zookeeper_server server;
    {
        foreign_client client{server.address()};
        const std::string path = "/l/turn-1-read-lock-0000000000";
        REQUIRE(client.create("/l", "", create_mode::persistent) == 0);
        REQUIRE(client.create(path, "turnstile=1\n", create_mode::ephemeral) == 0);
        REQUIRE(client.set(path, "turnstile=1\nrequest=r-1\nclear=1\n") == 0);
        REQUIRE(client.set(path, "released\n") == 0);
        REQUIRE(client.set("/l", "clear=1\n") == 0);
    }
    server.kill();
    turnstile::check::dump_transaction_log(server.folder() / "data" / "version-2",
                                           folder.path() / "transactions.txt");
    std::ifstream in{folder.path() / "transactions.txt", std::ios::binary};
    turnstile::check::transaction_log read;
    read.read(in);
    std::vector<bool> clears;
    for (const auto& t : read.in_order().kept) {
        for (const auto& each : t.settings) {
            CHECK(each.lock == "/l");
            CHECK(each.name == "turn-1-read-lock-0000000000");
            clears.push_back(each.clears);
        }
    }
    CHECK(clears == std::vector<bool>{true, false});
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
