// SPDX-License-Identifier: BSL-1.0
// The checker on real transaction logs. It accepts a small real run (real_run.hpp), and finds what
// is doctored in copies of that run. It reads logs that a server left when it was killed.
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

/// The verdict on the run in this folder.
turnstile::check::verdict check(const fs::path& folder) {
    const turnstile::check::run_files files{{folder}};
    return turnstile::check::check_run(files.told, files.log);
}

bool broke(const turnstile::check::verdict& v, const std::string& rule) {
    return std::any_of(v.details.begin(), v.details.end(),
                       [&](const auto& d) { return d.rule == rule; });
}

/// Runs turnstile-check on the folder. Returns its exit status.
int run_program(const fs::path& folder, std::string& output) {
    const auto file = folder / "output.txt";
    fs::remove(file);
    child_process program{
        {.argv = {TURNSTILE_CHECK_PROGRAM, "--json", folder.string()}, .output_file = file}};
    REQUIRE(program.wait_for_end(std::chrono::seconds{60}));
    output = content(file);
    return program.exit_status().value_or(-1);
}

/// Acquires of make_run() that have surely succeeded: three of four of 2 sessions with 4 contenders
/// with 8 rounds each. The others may have timed out.
constexpr int sure_acquires = 2 * 4 * 8 * 3 / 4;

/// The fields of verdict::summary().
constexpr std::size_t summary_fields = 14;

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
    CHECK(summary.at("acquisitions").to_number<int>() >= sure_acquires);
    CHECK(summary.size() == summary_fields);
    const auto good = check(original.path());
    CHECK(good.tickets >= sure_acquires);
    CHECK(summary.at("violations") == 0);
    CHECK(summary.at("overlap_ms").to_number<double>() == 0);
    CHECK(summary.at("stale_refused") == 0);
    CHECK(summary.at("orphans") == 0);

    const auto log = original.path() / "server-1" / "transactions.txt";
    const auto text = content(log);
    history_doctor one{original.path(), "worker-1"};
    const auto token = std::string{one.nth("grant", 5).at("token").as_string()}; // some ticket's
    const auto first = token.find_first_not_of('0');
    const auto zxid = " zxid 0x" + token.substr(first, token.find('-') - first) + ' ';

    // Returns the log without the transaction that this place is in. It may go over several lines.
    const auto without = [](const std::string& all, std::size_t inside) {
        const auto begin = all.rfind('\n', all.rfind(" session 0x", inside)) + 1;
        const auto next = all.find(" session 0x", inside + 1);
        const auto end =
            next == std::string::npos ? all.find("EOF", inside) : all.rfind('\n', next) + 1;
        return all.substr(0, begin) + all.substr(end);
    };

    // Each change below is one to the original run.
    put(log, without(text, text.find(zxid) + 1)); // the create of the ticket
    CHECK(broke(check(original.path()), "exclusion"));
    CHECK(run_program(original.path(), output) == 1);
    CHECK(output.find("no transaction of the log created its ticket") != std::string::npos);

    put(log, without(text, text.find(";delete:"))); // a release: the ticket stood before the others
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
    CHECK(broke(found, "exclusion")); // each of the two tickets is of the other lock
    CHECK(broke(found, "store"));     // and the store was shown the old tokens
    CHECK(broke(altered("proxy-1", [](auto& d) { std::erase(d.lines, d.nth("event", 0)); }),
                "history"));
    // The ticket that the foreign client deleted: its holder is told, and believes a second longer.
    const auto believe_on = [](history_doctor& d) {
        auto& t = d.nth("lost", 0).at("t");
        t = t.to_number<std::int64_t>() + 1'000'000'000;
    };
    CHECK(broke(altered("worker-1", believe_on), "overlap"));
    found = altered("proxy-1", [&](history_doctor& d) { // by the proxy it was not told: excused
        std::erase_if(d.lines, [](const auto& l) { return l.at("k") == "gone"; });
        d.save();
        CHECK(altered("worker-1", believe_on).violations == 0);
    });
    CHECK(found.violations == 0);
}

// The mark of a reader is "clear=1": no writer stands before its ticket.
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
    for (const std::size_t lost : {1, 2, 20, 60, 85}) { // bytes of the third ticket's transaction
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
