// SPDX-License-Identifier: BSL-1.0
// The beginnings of TLS handshakes, one in a turn of the context.
#include "zookeeper/handshake_turns.hpp"

#include "support/pch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <future>

namespace asio = boost::asio;
using turnstile::zookeeper::handshake_turns;
using turnstile::zookeeper::session_strand;

namespace {

struct turns {
    asio::io_context context;
    handshake_turns& line = asio::use_service<handshake_turns>(context);
    std::string heard{};

    void enter(char name) {
        line.enter(session_strand(context.get_executor()), [this, name] { heard += name; });
    }
};

} // namespace

TEST_CASE("handshakes begin in their order, and other work of the context in between") {
    turns f;
    for (const char name : {'a', 'b', 'c'})
        f.enter(name);
    CHECK(f.heard.empty()); // never inline
    std::function<void()> work = [&] {
        f.heard += '.';
        if (f.heard.size() < 8)
            asio::post(f.context, work);
    };
    asio::post(f.context, work);
    f.context.run();
    CHECK(f.heard == "a.b.c...");
}

TEST_CASE("a handshake that is entered later has its turn, too") {
    turns f;
    f.enter('a');
    f.context.run();
    f.context.restart();
    f.enter('b');
    f.context.run();
    CHECK(f.heard == "ab");
}

TEST_CASE("a busy strand of the user's holds up no handshake of others") {
    turns f;
    const auto own = asio::make_strand(f.context);
    asio::thread_pool busy_thread(1);
    std::promise<void> goes_on;
    std::promise<void> is_busy;
    asio::post(own, [&, over = goes_on.get_future().share()] {
        is_busy.set_value();
        over.wait();
    });
    asio::post(busy_thread, [&] { f.context.run_one(); });
    is_busy.get_future().wait();
    f.line.enter(session_strand(asio::any_io_executor(own)), [&] { f.heard += 'a'; });
    f.enter('b');
    while (f.heard.empty())
        f.context.run_one();
    CHECK(f.heard == "b");
    goes_on.set_value();
    busy_thread.join();
    f.context.run();
    CHECK(f.heard == "ba");
}

TEST_CASE("a handshake that throws does not stop those behind it") {
    turns f;
    f.line.enter(session_strand(f.context.get_executor()), [] { throw std::runtime_error("a"); });
    f.enter('b');
    CHECK_THROWS_AS(f.context.run(), std::runtime_error);
    f.context.run();
    CHECK(f.heard == "b");
}

TEST_CASE("a context that ends destroys what waits for its turn") {
    const auto alive = std::make_shared<int>();
    {
        turns f;
        for (int i = 0; i < 2; ++i)
            f.line.enter(session_strand(f.context.get_executor()), [alive] {});
        CHECK(alive.use_count() == 3);
    }
    CHECK(alive.use_count() == 1);
}
