// How an operation ends: at the end of a turn of the strand, or through the queue.
#include "locks/completion.hpp"
#include "locks/user_call.hpp"
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <stdexcept>
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

    completion_stage() { home.completes_after_turns_of(strand.number()); }

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

TEST_CASE("what ends alone in a turn runs at its end") {
    completion_stage s;
    asio::post(s.strand, [&] {
        s.complete('a');
        CHECK(s.order.empty());
    });
    asio::post(s.context, [&] { s.order += 'z'; });
    s.context.poll();
    CHECK(s.order == "az");
}

// So a handler may wait for the others, in a nested run of the context or on another thread.
TEST_CASE("several that end in one turn are posted, in order") {
    completion_stage s;
    asio::post(s.strand, [&] {
        s.complete([&](error_code) {
            s.order += 'a';
            s.context.poll();
            s.order += 'e';
        });
        s.complete('b');
        s.complete('c');
    });
    asio::post(s.context, [&] { s.order += 'z'; });
    s.context.poll();
    CHECK(s.order == "zabce");
}

TEST_CASE("what a call of the user completes is posted") {
    completion_stage s;
    asio::post(s.strand, [&] {
        const user_call calling;
        s.complete('a');
    });
    asio::post(s.context, [&] { s.order += 'z'; });
    s.context.poll();
    CHECK(s.order == "za");
}

TEST_CASE("what is completed off the strand is posted") {
    completion_stage s;
    asio::post(s.context, [&] {
        s.complete('a');
        CHECK(s.order.empty());
    });
    s.context.poll();
    CHECK(s.order == "a");
}

TEST_CASE("the end of a turn overtakes nothing that was posted before") {
    completion_stage s;
    asio::post(s.context, [&] { s.complete('a'); });
    asio::post(s.strand, [&] { s.complete('b'); }); // comes before 'a' does
    s.context.poll();
    CHECK(s.order == "ab");
    s.context.restart();
    asio::post(s.strand, [&] { s.complete('c'); });
    asio::post(s.context, [&] { s.order += 'z'; });
    s.context.poll();
    CHECK(s.order == "abcz"); // nothing is on its way any more
}

TEST_CASE("one that was posted for a turn that threw is not overtaken") {
    completion_stage s;
    asio::post(s.strand, [&] {
        asio::post(s.strand, [&] { s.complete('b'); }); // in the queue before 'a' is
        s.complete('a');
        throw std::runtime_error("no memory");
    });
    CHECK_THROWS_AS(s.context.poll(), std::runtime_error);
    s.context.poll();
    CHECK(s.order == "ab");
}

TEST_CASE("a posted completion that is destroyed is not waited for") {
    completion_stage s;
    {
        asio::io_context gone;
        home_executor there{asio::any_io_executor(gone.get_executor())};
        there.under_way = s.home.under_way;
        pending_operation<error_code>(erased_handler<void(error_code)>::of(
                                          [](error_code) { FAIL("it ran"); }, there.plain, nullptr),
                                      there)
            .complete(there, error_code());
        CHECK_FALSE(s.home.under_way.none());
    }
    CHECK(s.home.under_way.none());
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
