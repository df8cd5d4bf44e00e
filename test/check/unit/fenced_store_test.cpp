// SPDX-License-Identifier: BSL-1.0
// The store that refuses old tokens, its client, and the history that it writes.
#include "support/fenced_store.hpp"
#include "support/history_writer.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <boost/json/parse.hpp>

namespace asio = boost::asio;
using turnstile::fencing_token;
using turnstile::test::fenced_store;
using turnstile::test::fenced_store_client;
using turnstile::test::history_writer;
using turnstile::test::temp_folder;

namespace {

std::vector<boost::json::object> lines_of(const std::filesystem::path& file) {
    std::vector<boost::json::object> result;
    std::ifstream in{file};
    for (std::string line; std::getline(in, line);)
        result.push_back(boost::json::parse(line).as_object());
    return result;
}

/// Runs a coroutine beside the store, and stops the store then.
template <class Coroutine>
void run_beside(asio::io_context& context, fenced_store& store, Coroutine what) {
    asio::co_spawn(context, std::move(what), [&](std::exception_ptr error) {
        store.stop();
        if (error)
            std::rethrow_exception(error);
    });
    context.run();
}

} // namespace

TEST_CASE("The fenced store refuses a token below one that it has seen for the same lock") {
    const temp_folder folder{"turnstile-store-"};
    history_writer out{folder.path(), "store"};
    asio::io_context context;
    fenced_store store{context.get_executor(), out};
    std::vector<bool> answers;
    run_beside(context, store, [&]() -> asio::awaitable<void> {
        fenced_store_client one{context.get_executor()};
        fenced_store_client other{context.get_executor()};
        co_await one.connect(store.port());
        co_await other.connect(store.port());
        const auto write = [&](fenced_store_client& client, const char* lock,
                               std::uint64_t token) -> asio::awaitable<void> {
            const bool accepted =
                co_await client.write(lock, fencing_token{token}, "worker-1", "7");
            answers.push_back(accepted);
        };
        co_await write(one, "/a", 0x10);
        co_await write(one, "/a", 0x10); // the same holder again
        co_await write(other, "/a", 0x1'0000'0000);
        co_await write(one, "/a", 0xffff'ffff); // smaller: all 64 bits count
        co_await write(one, "/b", 0x1);         // another lock
    });
    CHECK(answers == std::vector<bool>{true, true, true, false, true});
    CHECK(store.accepted() == 4);
    CHECK(store.refused() == 1);

    const auto lines = lines_of(out.file());
    REQUIRE(lines.size() == 5);
    const auto& refused = lines[3];
    CHECK(refused.at("p") == "store");
    CHECK(refused.at("k") == "write");
    CHECK(refused.at("t").to_number<std::int64_t>() <= turnstile::test::history_now());
    CHECK(refused.at("worker") == "worker-1");
    CHECK(refused.at("id") == "7");
    CHECK(refused.at("lock") == "/a");
    CHECK(refused.at("token") == "00000000ffffffff-0000000000000000");
    CHECK(refused.at("accepted") == false);
}
