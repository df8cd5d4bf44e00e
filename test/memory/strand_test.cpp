// What a reactor hands to a session's strand where there is no memory to queue it.
#include "allocation_fault.hpp"
#include "zookeeper/session_strand.hpp"

#include "support/pch.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <array>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using turnstile::test::allocation_fault;
using turnstile::zookeeper::after_turn;
using turnstile::zookeeper::session_strand;

namespace {

/// One thread's io_context, and what ran in it.
struct short_stage {
    asio::io_context context;
    const session_strand strand{asio::any_io_executor(context.get_executor())};
    std::string order;

    short_stage() { order.reserve(16); } // no allocation of the test's own

    /// What the step does in the context, where no allocation succeeds.
    template <class Step>
    void starve(Step step) {
        asio::post(context, [this, step] {
            for (int i = 0; i < 8; ++i) // takes the blocks that Asio keeps for this thread
                asio::post(context, [] {});
            allocation_fault fault(1, nullptr, allocation_fault::all);
            const allocation_fault::window open(fault);
            step();
        });
    }
    std::string run() {
        context.restart();
        context.poll();
        return std::exchange(order, {});
    }
};

/// The handler of an operation that ends in a turn. It owns a lock, which is released with it.
class ended final : public after_turn::task {
public:
    ended(short_stage& on, bool owns) : handler_(on, owns) {}
    ended(const ended&) = delete;
    ended& operator=(const ended&) = delete;
    void run() override { handler_.on->order += 'h'; }
    void post(const asio::any_io_executor& by) override {
        by.execute([kept = std::move(handler_)] { kept.on->order += 'h'; });
    }

private:
    struct handler {
        short_stage* on;
        bool owns;
        std::array<char, 120> room{}; // more than Asio keeps

        handler(short_stage& of, bool with_lock) : on(&of), owns(with_lock) {}
        handler(handler&& other) noexcept : on(other.on), owns(std::exchange(other.owns, false)) {}
        ~handler() {
            if (!owns)
                return;
            try {
                asio::dispatch(on->strand, [of = on] { of->order += 'r'; });
            } catch (const std::bad_alloc&) { // the session ends
                on->order += '!';
            }
        }
    };

    handler handler_;
};

} // namespace

TEST_CASE("a completion behind others runs in its turn, though it cannot be queued") {
    std::size_t nth = 0;
    for (bool happened = true; happened;) {
        allocation_fault fault(++nth);
        INFO("allocation " << nth);
        asio::io_context context;
        const session_strand strand{asio::any_io_executor(context.get_executor())};
        std::string order;
        order.reserve(8); // no allocation of the test's own
        const auto complete = [&](char name) {
            const allocation_fault::window open(fault);
            asio::dispatch(strand, [&order, name] { order += name; });
        };
        asio::post(context, [&] {
            asio::post(strand, [&] { order += 'a'; }); // a runner is on its way
            asio::post(strand, [&] {
                order += 'b';
                throw std::runtime_error("nobody's");
            });
            complete('c');
            complete('d');
            order += '.';
        });
        try {
            context.run();
        } catch (const std::runtime_error&) { // from the runner, where that ran it
            context.run();
        }
        happened = fault.happened();
        CHECK((order == ".abcd" || order == "abcd." || order == "abc.d"));
        CHECK((order == ".abcd") == !happened);
        CHECK_FALSE(strand.running_in_this_thread());
    }
    CHECK(nth > 2);
}

TEST_CASE("threads that cannot queue a completion wait for their turn") {
    constexpr int threads = 4;
    constexpr int each = 20'000;
    asio::io_context context(threads);
    const session_strand strand{asio::any_io_executor(context.get_executor())};
    int inside = 0; // by one thread at a time
    const auto work = [&] {
        const int before = inside;
        std::this_thread::yield(); // to one that wants to get in
        inside = before + 1;
    };
    for (int i = 0; i < each; ++i)
        asio::post(context, [&, i] {
            allocation_fault fault(1 + static_cast<std::size_t>(i) % 3);
            const allocation_fault::window open(fault);
            asio::dispatch(strand, work);
            asio::dispatch(strand, work);
        });
    {
        std::vector<std::jthread> runs;
        for (int i = 0; i < threads; ++i)
            runs.emplace_back([&] { context.run(); });
    }
    CHECK(inside == 2 * each);
}

TEST_CASE("who takes the place of a runner calls the handlers that it would have called") {
    short_stage s;
    asio::post(s.context, [&] {
        asio::post(s.strand, [&] {
            s.order += 'a';
            after_turn::of(s.strand.number())->hold<ended>(s, false);
        });
    });
    s.starve([&] { asio::dispatch(s.strand, [&] { s.order += 'b'; }); });
    CHECK(s.run() == "abh");
}

TEST_CASE("a thread that runs what waits does not wait for itself") {
    short_stage s;
    s.starve([&] {
        asio::dispatch(s.strand, [&] {
            {
                const allocation_fault::truce memory;
                asio::post(s.strand, [&] {
                    s.order += 'a';
                    after_turn::of(s.strand.number())->hold<ended>(s, true);
                });
            }
            s.order += '.';
        });
    });
    CHECK(s.run() == ".ar"); // the handler is destroyed, and its lock released at once
}

TEST_CASE("a posted function that does not run is destroyed when others may enter again") {
    struct owner {
        short_stage* on;
        ~owner() {
            if (on)
                asio::dispatch(on->strand, [of = on] { of->order += 'r'; });
        }
        explicit owner(short_stage& of) : on(&of) {}
        owner(owner&& other) noexcept : on(std::exchange(other.on, nullptr)) {}
    };
    short_stage s;
    s.starve([&] {
        // The node of the queue gets its memory, and the runner does not.
        const allocation_fault::truce memory;
        auto function = [mine = owner(s)] {};
        allocation_fault fault(2, nullptr, allocation_fault::all);
        const allocation_fault::window open(fault);
        try {
            asio::post(s.strand, std::move(function));
        } catch (const std::bad_alloc&) {
            s.order += '!';
        }
    });
    CHECK(s.run() == "r!");
}

TEST_CASE("a call of the user waits for nobody: without memory it throws") {
    short_stage s;
    asio::post(s.context, [&] { asio::post(s.strand, [&] { s.order += 'a'; }); });
    s.starve([&] {
        try {
            s.strand.call([&] { s.order += 'b'; });
        } catch (const std::bad_alloc&) {
            s.order += '!';
        }
    });
    CHECK(s.run() == "!a");
}
