// What waits for the end of a turn of a session's strand.
#include "zookeeper/after_turn.hpp"
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;
using turnstile::zookeeper::after_turn;
using turnstile::zookeeper::session_strand;

namespace {

class noted_task final : public after_turn::task {
public:
    explicit noted_task(std::function<void()> what) : what_(std::move(what)) {}

    void run() override { what_(); }
    void post(const asio::any_io_executor& by) override { by.execute(std::move(what_)); }

private:
    std::function<void()> what_;
};

struct turn_stage {
    asio::io_context context{};
    session_strand strand{asio::any_io_executor(context.get_executor())};
    std::string order{};

    void hold(std::function<void()> what) {
        auto* const turn = after_turn::of(number());
        REQUIRE(turn);
        turn->hold<noted_task>(std::move(what));
    }
    std::uint64_t number() const { return strand.number(); }
};

} // namespace

TEST_CASE("a task runs at the end of the turn, when the strand is left") {
    turn_stage s;
    asio::post(s.strand, [&] {
        s.hold([&s] {
            CHECK_FALSE(s.strand.running_in_this_thread());
            CHECK_FALSE(after_turn::of(s.number()));
            s.order += 'a';
        });
        s.order += '-';
    });
    asio::post(s.context, [&] { s.order += 'z'; });
    s.context.poll();
    CHECK(s.order == "-az"); // before what is in the queue
}

TEST_CASE("a task that somebody comes after goes through the queue") {
    turn_stage s;
    asio::post(s.strand, [&] {
        s.hold([&] { s.order += 'a'; });
        after_turn::of(s.number())->post_held();
        s.hold([&] { s.order += 'b'; });
        after_turn::of(s.number())->post_held();
        after_turn::of(s.number())->post_held(); // none is held
    });
    asio::post(s.context, [&] { s.order += 'z'; });
    s.context.poll();
    CHECK(s.order == "zab");
}

TEST_CASE("a turn is known by its strand, and only while it lasts") {
    turn_stage s;
    turn_stage other;
    CHECK(s.number() != other.number());
    CHECK_FALSE(after_turn::of(s.number()));
    asio::post(s.strand, [&] {
        CHECK(after_turn::of(s.number()));
        CHECK_FALSE(after_turn::of(other.number()));
        const auto* const outer = after_turn::of(s.number());
        asio::post(other.strand, [&] {
            CHECK(after_turn::of(other.number()));
            CHECK_FALSE(after_turn::of(s.number()));
        });
        other.context.poll(); // a turn within the turn
        CHECK(after_turn::of(s.number()) == outer);
    });
    s.context.poll();
    CHECK_FALSE(after_turn::of(s.number()));
    CHECK_FALSE(after_turn::of(0));
}

TEST_CASE("what a task throws goes to whoever runs the context") {
    turn_stage s;
    asio::post(s.strand,
               [&] { s.hold([] { throw std::runtime_error("a handler of the user"); }); });
    asio::post(s.context, [&] { s.order += 'z'; });
    CHECK_THROWS_AS(s.context.poll(), std::runtime_error);
    CHECK_FALSE(after_turn::of(s.number()));
    s.context.poll();
    CHECK(s.order == "z");
}

TEST_CASE("the task of a turn that throws runs later") {
    turn_stage s;
    asio::post(s.strand, [&] {
        s.hold([&] { s.order += 'a'; });
        throw std::runtime_error("no memory");
    });
    CHECK_THROWS_AS(s.context.poll(), std::runtime_error);
    CHECK(s.order.empty());
    s.context.poll();
    CHECK(s.order == "a");
}

TEST_CASE("nothing waits for the end of a turn that its caller waits for") {
    asio::thread_pool pool(1);
    const session_strand strand{asio::any_io_executor(
        asio::require(pool.get_executor(), asio::execution::blocking.always))};
    CHECK(strand.number() == 0);
    bool ran = false;
    asio::dispatch(strand, [&] {
        CHECK_FALSE(after_turn::of(strand.number()));
        ran = true;
    });
    CHECK(ran);
}
