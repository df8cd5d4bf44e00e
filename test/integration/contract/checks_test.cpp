// SPDX-License-Identifier: BSL-1.0
// What is refused before any I/O: bad paths, bad server lists, bad options.
#include "integration/support/cancel_support.hpp"

namespace {

// Bad options are told by each operation, and nothing else happens.
void check_options(const std::function<void(session_options&)>& change, error_code expected) {
    fixture f;
    session_options options;
    options.servers = "127.0.0.1:1"; // would not answer
    change(options);
    session s{f.context, options};
    mutex lock{s, "/locks/unreached"};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == expected);
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == expected);
    CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == expected);
    CHECK(result_of(f, [&](auto t) { lock.acquire_for(std::chrono::seconds{1}, std::move(t)); }) ==
          expected);
    CHECK(s.state() == session_state::idle);
    CHECK(s.id() == 0);
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    f.run_out();
}

} // namespace

TEST_CASE("a bad lock path is refused without a connection") {
    const auto path = GENERATE("", "/", "locks", "locks/a", "/locks/", "//locks", "/locks//a",
                               "/locks/./a", "/locks/..", "/.", "/zookeeper", "/zookeeper/locks",
                               "/locks/\n", "/locks/\x7f", "/a\x01", "/a%yield", "/locks/b%leader",
                               "/c%once", "/\xff\xfe", "/\xed\xa0\x80", "/\xc0\xaf");
    INFO(path);
    fixture f;
    frame_proxy proxy{shared_server().port()};
    session s{f.context, options_for(proxy.address())};
    mutex lock{s, path};
    CHECK(lock.path() == path);
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::bad_path);
    CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == error::bad_path);
    CHECK(result_of(f, [&](auto t) { lock.acquire_for(std::chrono::seconds{1}, std::move(t)); }) ==
          error::bad_path);
    CHECK(s.state() == session_state::idle);
    CHECK(proxy.stats().connections == 0);
}

TEST_CASE("an embedded zero or an endless name is a bad lock path") {
    fixture f;
    session s{f.context, options_for()};
    mutex zero{s, std::string("/locks/a\0b", 10)};
    mutex endless{s, "/locks/" + std::string(2'000'000, 'x')};
    CHECK(result_of(f, [&](auto t) { zero.acquire(std::move(t)); }) == error::bad_path);
    CHECK(result_of(f, [&](auto t) { endless.acquire(std::move(t)); }) == error::bad_path);
    CHECK(s.state() == session_state::idle);
}

TEST_CASE("unusual but good lock paths work") {
    const auto name = GENERATE("a b", "caf\xc3\xa9", "\xe6\x97\xa5\xe6\x9c\xac", "x.y", "...",
                               "zookeeper", "100%", "a-0000000001", "lock-0000000001");
    fixture f;
    const auto path = fresh_path("unusual") + "/" + name;
    session s{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    CHECK(children_of(path).size() == 1);
    release_now(f, held);
}

TEST_CASE("a bad server list is refused without a connection") {
    const auto servers =
        GENERATE("", ",", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:2181,",
                 ",127.0.0.1:2181", "127.0.0.1:2181,,b:1", ":2181", "a b:2181", "127.0.0.1:x",
                 "127.0.0.1:2181//a", "127.0.0.1:2181/a/", "127.0.0.1:2181/a/../b",
                 "127.0.0.1:2181 /a", "[::1:2181", "[::1]2181", "host:-1", "/chroot", "host;other");
    INFO(servers);
    check_options([&](session_options& o) { o.servers = servers; }, error::bad_servers);
}

TEST_CASE("durations at the end of their range do no harm") {
    using namespace std::chrono_literals;
    fixture f;
    auto options = options_for();
    options.connect_timeout = std::chrono::milliseconds::max();
    options.unreachable_limit = std::chrono::milliseconds::max();
    options.longest_backoff = std::chrono::milliseconds::max();
    session s{f.context, options};
    mutex lock{s, fresh_path("endless")};
    auto held = acquire_now(f, lock);
    probe late;
    lock.acquire_for(std::chrono::hours::max(), late.make());
    release_now(f, held);
    CHECK(end_of(f, late) == error_code{});
    probe never;
    mutex other{s, lock.path()};
    other.acquire_for(std::chrono::hours::min(), never.make());
    CHECK(end_of(f, never) == error::timeout);
}

TEST_CASE("a request above a server's limit is refused without a connection") {
    check_options([](session_options& o) { o.label = std::string(1 << 20, 'x'); },
                  error::request_too_large);
    check_options(
        [](session_options& o) {
            o.identities = {{"digest", std::string(1 << 20, 'x')}};
        },
        error::request_too_large);
    check_options( // together
        [](session_options& o) {
            o.label = std::string(600'000, 'x');
            o.acl.tickets = {{"x509", std::string(600'000, 'x'), permission::read}};
        },
        error::request_too_large);
}

TEST_CASE("a long label within the limit works") {
    fixture f;
    auto options = options_for();
    options.label = std::string(900'000, 'x');
    session s{f.context, options};
    mutex lock{s, fresh_path("label")};
    auto held = acquire_now(f, lock);
    release_now(f, held);
}
