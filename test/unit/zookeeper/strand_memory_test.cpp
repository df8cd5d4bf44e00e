// A session's strand on an executor that has no memory for what it is handed, or runs it at once.
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;
using turnstile::zookeeper::session_strand;

namespace {

/// An executor that has no memory now and then, or runs at once what is not posted.
struct reluctant_executor {
    struct mood {
        asio::io_context context{};
        int refuses = 0; // so many times
        bool inlines = false;
        std::function<void()> before_refusal = [] {}; // once
    };

    std::shared_ptr<mood> of;
    bool posts = false;

    asio::execution_context& query(asio::execution::context_t) const noexcept {
        return of->context;
    }
    asio::execution::blocking_t query(asio::execution::blocking_t) const noexcept {
        return posts ? asio::execution::blocking_t(asio::execution::blocking.never)
                     : asio::execution::blocking_t(asio::execution::blocking.possibly);
    }
    reluctant_executor require(asio::execution::blocking_t::never_t) const noexcept {
        return {of, true};
    }
    template <class Function>
    void execute(Function function) const {
        if (of->inlines && !posts)
            return function();
        if (of->refuses > 0) {
            --of->refuses;
            std::exchange(of->before_refusal, [] {})();
            throw std::bad_alloc();
        }
        asio::post(of->context, std::move(function));
    }
    bool operator==(const reluctant_executor&) const noexcept = default;
};

struct reluctant_stage {
    std::shared_ptr<reluctant_executor::mood> mood = std::make_shared<reluctant_executor::mood>();
    session_strand strand{asio::any_io_executor(reluctant_executor{mood})};
    std::string order{};

    std::string run() {
        mood->context.restart();
        mood->context.poll();
        return std::exchange(order, {});
    }
};

/// Goes through the strand when it is destroyed.
class owner {
public:
    owner(const session_strand& strand, std::string& order) : strand_(strand), order_(order) {}
    owner(const owner&) = delete;
    owner& operator=(const owner&) = delete;
    ~owner() {
        asio::post(strand_, [&to = order_] { to += 'o'; });
    }

private:
    session_strand strand_;
    std::string& order_;
};

} // namespace

TEST_CASE("where there is no memory for a runner, the call throws and the function does not run") {
    reluctant_stage s;
    s.mood->refuses = 1;
    CHECK_THROWS_AS(asio::dispatch(s.strand, [&] { s.order += 'a'; }), std::bad_alloc);
    CHECK(s.run().empty());
    asio::dispatch(s.strand, [&] { s.order += 'b'; });
    CHECK(s.run() == "b");
}

TEST_CASE("a function that does not run may go through the strand when it is destroyed") {
    reluctant_stage s;
    s.mood->refuses = 1;
    CHECK_THROWS_AS(
        asio::dispatch(s.strand, [&, owned = std::make_unique<owner>(s.strand, s.order)] {}),
        std::bad_alloc);
    CHECK(s.run() == "o");
}

TEST_CASE("who relied on a runner for which there was no memory gets another one") {
    for (const int refusals : {1, 2}) {
        reluctant_stage s;
        s.mood->refuses = refusals;
        s.mood->before_refusal = [&] { // another thread's, as far as the strand can tell
            asio::dispatch(s.strand, [&] { s.order += 'b'; });
        };
        CHECK_THROWS_AS(asio::dispatch(s.strand, [&] { s.order += 'a'; }), std::bad_alloc);
        CHECK(s.run() == (refusals == 1 ? "b" : ""));
        asio::dispatch(s.strand, [&] { s.order += 'c'; });
        CHECK(s.run() == (refusals == 1 ? "c" : "bc")); // with the next function at the latest
    }
}

TEST_CASE("a thread goes on where there is no memory for the next runner") {
    reluctant_stage s;
    asio::dispatch(s.strand, [&] {
        asio::post(s.strand, [&] {
            CHECK(s.strand.running_in_this_thread());
            s.order += 'b';
            throw std::runtime_error("lost");
        });
        asio::post(s.strand, [&] { s.order += 'c'; });
        s.order += 'a';
        s.mood->refuses = 2;
    });
    CHECK(s.run() == "abc");
    CHECK_FALSE(s.strand.running_in_this_thread());
}

TEST_CASE("a foreign executor may run a function at once, which may destroy the strand") {
    reluctant_stage s;
    s.mood->inlines = true;
    auto other =
        std::make_optional<session_strand>(asio::any_io_executor(reluctant_executor{s.mood}));
    asio::dispatch(*other, [&] {
        other.reset();
        s.order += 'a';
    });
    CHECK(s.order == "a");
    CHECK_THROWS_AS(asio::dispatch(s.strand, [] { throw std::runtime_error("thrown"); }),
                    std::runtime_error);
    asio::dispatch(s.strand, [&] { s.order += 'b'; });
    CHECK(s.order == "ab");
}
