// SPDX-License-Identifier: BSL-1.0
// How an operation ends: through the queue of its handler's executor.
#include "locks/completion.hpp"
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <string>
#include <utility>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::detail;

namespace {

struct completion_stage {
    asio::io_context context{};
    home_executor home{asio::any_io_executor(context.get_executor())};
    zookeeper::session_strand strand{home.plain};
    std::string order{};

    template <class Handler>
    void complete(Handler handler) {
        pending_operation<error_code>(
            erased_handler<void(error_code)>::of(std::move(handler), home.plain, nullptr), home)
            .complete(home, error_code());
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
