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
    CHECK(summary.size() == 14);
    const auto good = check(original.path());
    CHECK(good.tickets >= 48);
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

    put(log, without(text, text.find(";delete:"))); // a release, so the others waited in vain
    CHECK(broke(check(original.path()), "exclusion"));
    put(log, text);
    REQUIRE(check(original.path()).violations == 0);

    const auto altered = [&](const std::string& writer,
                             const std::function<void(history_doctor&)>& how) {
        const history_doctor before{original.path(), writer};
        auto copy = before;
        how(copy);
        copy.save();
        const auto found = check(original.path());
        before.save();
        return found;
    };
    auto found = altered("worker-1", [](history_doctor& d) {
        std::size_t other = 0;
        while (d.nth("grant", other).at("lock") == d.nth("grant", 2).at("lock"))
            ++other;
        std::swap(d.nth("grant", 2).at("token"), d.nth("grant", other).at("token"));
    });
    CHECK(broke(found, "exclusion")); // tickets of another lock
    CHECK(broke(found, "store"));     // and not what the store was shown
    CHECK(broke(altered("proxy-1", [](auto& d) { std::erase(d.lines, d.nth("event", 0)); }),
                "history"));
    // A ticket that a foreign client deleted: its holder is told, and goes on believing.
    const auto believe_on = [](history_doctor& d) {
        auto& t = d.nth("lost", 0).at("t");
        t = t.to_number<std::int64_t>() + 1'000'000'000;
    };
    CHECK(broke(altered("worker-1", believe_on), "overlap"));
    found = altered("proxy-1", [&](history_doctor& d) { // it was not told
        std::erase_if(d.lines, [](const auto& l) { return l.at("k") == "gone"; });
        d.save();
        CHECK(altered("worker-1", believe_on).violations == 0);
    });
    CHECK(found.violations == 0);
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
        for (int i = 0; i < 3; ++i)
            REQUIRE(client.create("/l/x-lock-", "", create_mode::ephemeral_sequential) == 0);
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
