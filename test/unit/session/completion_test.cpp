// SPDX-License-Identifier: BSL-1.0
// How an operation ends: through the queue of its handler's executor.
#include "session/completion.hpp"
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/any_completion_handler.hpp>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::detail;

namespace {

struct completion_stage {
    asio::io_context context{};
    asio::any_io_executor home{context.get_executor()};
    zookeeper::session_strand strand{home};
    std::string order{};

    template <class Handler>
    void complete(Handler handler) {
        pending_operation<error_code>(
            erased_handler<void(error_code)>::of(std::move(handler), home, nullptr), home)
            .complete(error_code());
    }
    void complete(char name) {
        complete([this, name](error_code) { order += name; });
    }
};

} // namespace

// So a handler may wait for the others, in a nested run of the context or on another thread.
TEST_CASE("what ends is posted, in order, and never runs on the strand") {
    completion_stage s;
    asio::post(s.strand, [&] {
        s.complete([&](error_code) {
            CHECK_FALSE(s.strand.running_in_this_thread());
            s.order += 'a';
            s.context.poll();
            s.order += 'e';
        });
        s.complete('b');
        s.complete('c');
        CHECK(s.order.empty());
    });
    asio::post(s.context, [&] { s.order += 'z'; });
    s.context.poll();
    CHECK(s.order == "zabce");
}

TEST_CASE("a handler with another executor is posted there") {
    completion_stage s;
    asio::io_context elsewhere;
    asio::post(s.strand, [&] {
        s.complete(asio::bind_executor(elsewhere, [&](error_code) { s.order += 'a'; }));
    });
    s.context.poll();
    CHECK(s.order.empty());
    elsewhere.poll();
    CHECK(s.order == "a");
}

TEST_CASE("a context has work as long as an operation waits for it") {
    completion_stage s;
    asio::io_context elsewhere;
    const auto is_at_work = [](asio::io_context& which) {
        which.restart();
        which.poll();
        return !which.stopped();
    };
    std::optional<pending_operation<error_code>> here;
    std::optional<pending_operation<error_code>> there;
    const auto begin = [&](auto& where, auto handler) {
        where.emplace(erased_handler<void(error_code)>::of(std::move(handler), s.home, nullptr),
                      s.home);
    };
    const auto note = [&](error_code) { s.order += 'a'; };
    begin(here, note);
    SECTION("its type is known") { begin(there, asio::bind_executor(elsewhere, note)); }
    SECTION("it is erased") {
        begin(there,
              asio::any_completion_handler<void(error_code)>(asio::bind_executor(elsewhere, note)));
    }
    CHECK(is_at_work(s.context));
    CHECK(is_at_work(elsewhere));
    std::move(*there).complete(error_code());
    there.reset();
    is_at_work(s.context);
    CHECK_FALSE(is_at_work(elsewhere));
    CHECK(s.order == "a");
    here.reset();
    CHECK_FALSE(is_at_work(s.context));
}
