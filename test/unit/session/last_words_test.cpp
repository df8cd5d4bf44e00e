// SPDX-License-Identifier: BSL-1.0
// Once close() has completed, neither the log sink nor the observer is called.
#include <turnstile/mutex.hpp>
#include <turnstile/session.hpp>

#include "support/certificates.hpp"
#include "unit/session/backend_over_model.hpp"
#include "zookeeper/tls_contexts.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace turnstile;
using namespace std::chrono_literals;

namespace {

/// What was told before and after close() has completed.
struct last_words {
    bool closed = false;
    std::vector<std::string> before{};
    std::vector<std::string> after{};

    void hear(std::string_view what) { (closed ? after : before).emplace_back(what); }
    logger log() {
        return {.level = log_level::info,
                .sink = [this](log_level, std::string_view text) { hear(text); }};
    }
    auto note() {
        return [this](error_code why) {
            CHECK_FALSE(why);
            closed = true;
        };
    }
};

} // namespace

TEST_CASE("a list of servers that is taken up as the session ends is not told of afterwards") {
    asio::io_context context;
    last_words said;
    session subject(context, session_options{.servers = "127.0.0.1:1", .log = said.log()});
    subject.close(said.note());
    REQUIRE_FALSE(subject.set_servers("127.0.0.1:2")); // the session does not know of the close yet
    context.run();
    CHECK(said.closed);
    CHECK(said.after.empty());
}

TEST_CASE("a certificate that has expired is not told of once the session is closed") {
    const test::certificates files;
    files.issue({.name = "old", .days = -1});
    const tls_options tls{.authorities_file = files.file("ca"),
                          .certificate_file = files.file("old"),
                          .key_file = files.file("old", ".key")};
    asio::io_context context;
    const auto work = asio::make_work_guard(context);
    last_words said;
    session subject(context,
                    session_options{.servers = "127.0.0.1:1", .tls = tls, .log = said.log()});
    bool closes = true;
    SECTION("closed before its file is read") { subject.close(said.note()); }
    SECTION("open: it is told of") { closes = false; }
    context.poll();
    CHECK(said.closed == closes);
    // A look that begins later ends later, too.
    bool read = false;
    const zookeeper::session_strand strand(asio::any_io_executor(context.get_executor()));
    zookeeper::find_tls_context(strand, tls, [&](const auto&) { read = true; });
    while (!read)
        context.run_one();
    context.poll();
    CHECK(said.after.empty());
    const auto warns = [](const std::string& text) { return text.find("expired") != text.npos; };
    CHECK(std::ranges::any_of(said.before, warns) != closes);
}

TEST_CASE("what a close makes happen is told before it completes") {
    asio::io_context context;
    const test::backend_over_model servers(context, [](const auto&) {});
    last_words said;
    session_options options{.servers = "127.0.0.1:2181", .log = said.log()};
    options.observer = [&](const lock_event& what) {
        said.hear(what.what == lock_event::kind::lost ? "lost" : "another event");
    };
    session subject(context, options);
    mutex orders(subject, "/locks/orders");
    held_lock lock;
    orders.acquire([&](error_code, held_lock granted) { lock = std::move(granted); });
    servers.model->settle();
    REQUIRE(lock.is_held());
    auto& link = servers.model->port_of(subject.id()).link();
    link.lock_out_until(servers.model->now() + 1h);
    link.cut();
    servers.model->settle();
    REQUIRE(subject.state() == session_state::suspended); // so its close ends at once
    asio::post(context, [&] { subject.close(said.note()); });
    servers.model->settle();
    CHECK(said.closed);
    CHECK(std::ranges::count(said.before, "lost") == 1);
    CHECK(said.after.empty());
}
