// SPDX-License-Identifier: BSL-1.0
// How a connection reads what has arrived. The server's bytes are made here: there is no socket.
#include "support/jute.hpp"
#include "support/pch.hpp"
#include "zookeeper/connection.hpp"
#include "zookeeper/jute_reader.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <variant>

using namespace turnstile::zookeeper;
namespace protocol = turnstile::protocol;
using namespace turnstile::test;

namespace {

// How often this thread has taken a mutex. Most of these are the C client's lock.
constinit thread_local std::size_t locks_taken = 0;

} // namespace

// ThreadSanitizer's, where it watches: it has to hear of each lock.
extern "C" int __interceptor_pthread_mutex_lock(pthread_mutex_t* which) __attribute__((weak));

// Called instead of the C library's.
extern "C" int pthread_mutex_lock(pthread_mutex_t* which) noexcept {
    // No guarded static: LLVM's guard takes a mutex itself.
    using function = int (*)(pthread_mutex_t*);
    static constinit std::atomic<function> real{nullptr};
    if (real.load() == nullptr)
        real = __interceptor_pthread_mutex_lock != nullptr
                   ? __interceptor_pthread_mutex_lock
                   : reinterpret_cast<function>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    ++locks_taken;
    return real.load()(which);
}

namespace {

// A connection after its handshake.
struct shaken_connection {
    connection c{{.server = "127.0.0.1:2181",
                  .timeout = std::chrono::seconds{60},
                  .session = {},
                  .rights = std::make_shared<turnstile::zookeeper::access>()}};

    shaken_connection() {
        drain();
        c.receive(jute_text(jute_int(0) + jute_int(60'000) + jute_long(5) +
                            jute_text(std::string(16, 'p')) + std::string(1, '\0')));
        c.pump();
        REQUIRE(c.state() == connection::status::connected);
        drain();
        take_replies();
    }

    void drain() { c.sent(c.output().size()); }

    // The answers to that many reads, which have not arrived yet.
    std::string ask(std::size_t reads, std::int32_t code = -101) { // no such node
        for (std::size_t i = 1; i <= reads; ++i)
            c.send(i, {.op = protocol::operation::get, .path = "/node"});
        std::string answers;
        for (auto left = c.output(); !left.empty();) {
            std::int32_t length = 0;
            std::int32_t xid = 0;
            REQUIRE(jute_reader(left).read(length));
            REQUIRE(jute_reader(left.substr(4)).read(xid));
            left.remove_prefix(4 + static_cast<std::size_t>(length));
            answers += jute_text(jute_int(xid) + jute_long(9) + jute_int(code));
            last_number = xid;
        }
        drain();
        return answers;
    }

    std::int32_t last_number = 0;

    std::vector<protocol::request_id> take_replies() {
        std::vector<protocol::request_id> ids;
        for (const auto& event : c.take_events())
            if (const auto reply = std::get_if<reply_event>(&event))
                ids.push_back(reply->id);
        return ids;
    }
};

} // namespace

TEST_CASE("the C client's lock is let go of after every 64 of many answers that came at once") {
    constexpr std::size_t most_at_once = 64;
    constexpr std::size_t reads = 10 * most_at_once;
    shaken_connection s;
    s.c.receive(s.ask(reads));
    const auto before = locks_taken;
    s.c.pump();
    CHECK(locks_taken - before >= reads / most_at_once);
    CHECK(s.take_replies().size() == reads);
    CHECK(s.c.state() == connection::status::connected);
}

TEST_CASE("an answer that leaves the outcome open is told while the connection lives") {
    const auto code = GENERATE(-112, -118, -1, -2, -4, -7, -115);
    CAPTURE(code);
    shaken_connection s;
    s.c.receive(s.ask(1, code));
    s.c.pump();
    CHECK(s.c.state() == connection::status::connected);
    const auto events = s.c.take_events();
    REQUIRE(events.size() == 2);
    const auto* const why = std::get_if<trouble_event>(&events[0]);
    const auto* const reply = std::get_if<reply_event>(&events[1]);
    REQUIRE(why);
    REQUIRE(reply);
    CHECK_THAT(why->cause, Catch::Matchers::StartsWith("it answered a request with '"));
    CHECK((why->cause.find("localSessionsUpgradingEnabled") != std::string::npos) ==
          (code == -112));
    CHECK(reply->id == 1);
    CHECK(static_cast<int>(reply->answer.code) == code);
}

TEST_CASE("requests are numbered from one on, far from the numbers that stand for something else") {
    shaken_connection s;
    static_cast<void>(s.ask(1));
    const auto first = s.last_number;
    CHECK(first > 0);
    CHECK(first < 1'000'000); // of this process
    static_cast<void>(s.ask(1));
    CHECK(s.last_number == first + 1);
    CHECK(connection::next_number(0) == 1);
    CHECK(connection::next_number(0x7fff'fffd) == 0x7fff'fffe);
    CHECK(connection::next_number(0x7fff'fffe) == 1);
}

TEST_CASE("a server that makes another session has not restored the one asked for") {
    connection c{{.server = "127.0.0.1:2181",
                  .timeout = std::chrono::seconds{60},
                  .session = {.session_id = 5},
                  .rights = std::make_shared<turnstile::zookeeper::access>()}};
    c.sent(c.output().size());
    c.receive(jute_text(jute_int(0) + jute_int(60'000) + jute_long(6) +
                        jute_text(std::string(16, 'p')) + std::string(1, '\0')));
    c.pump();
    CHECK(c.state() == connection::status::not_restored);
}
