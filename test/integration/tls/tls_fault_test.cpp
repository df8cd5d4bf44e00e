// SPDX-License-Identifier: BSL-1.0
// TLS over a network that stalls and cuts: within the handshake, and later.
#include "integration/support/harmed_connect.hpp"
#include "integration/support/stall_watch.hpp"
#include "integration/support/tls_support.hpp"
#include "support/byte_proxy.hpp"
#include "support/frame_proxy.hpp"
#include "support/tls_front.hpp"

#include <boost/asio/ssl/context.hpp>

#include <sys/stat.h>

using Catch::Matchers::Contains;

namespace {

// In the server's half of the handshake, at its end, and in ZooKeeper's own right behind it.
auto each_place() { return GENERATE(0U, 1U, 60U, 400U, 700U, 900U, 1000U, 1100U); }

struct tls_rig {
    fixture f;
    byte_proxy proxy{f.context, shared_secure_server().secure_port()};

    session_options options() const { return tls_session(trusting(), proxy.address()); }
};

constexpr std::size_t session_count = 100;

/// The authorities of the system, and the one that the tests' servers have theirs from.
std::string all_authorities() {
    const auto file = shared_certificates().file("all");
    std::ofstream all{file};
    for (const auto& each :
         {std::string("/etc/ssl/certs/ca-certificates.crt"), shared_certificates().file("ca")})
        all << std::ifstream{each}.rdbuf();
    return file;
}

} // namespace

TEST_CASE("TLS: a connection that is cut within a handshake costs one attempt") {
    tls_rig r;
    r.proxy.do_harm(byte_proxy::harm::cut, each_place());
    check_cut_costs_an_attempt(r.f, r.proxy, r.options());
}

TEST_CASE("TLS: a handshake that stands still is over when the attempt's time is") {
    tls_rig r;
    r.proxy.do_harm(byte_proxy::harm::stall, GENERATE(0U, 400U, 1000U));
    check_stalled_attempt_is_left(r.f, r.proxy, r.options());
}

TEST_CASE("TLS: a session that is closed or destroyed within a handshake leaves nothing") {
    tls_rig r;
    r.proxy.do_harm(byte_proxy::harm::stall, each_place());
    check_ends_within_attempt(r.f, r.proxy, r.options());
}

TEST_CASE("TLS: a held lock and a waiting acquire outlive a cut") {
    tls_rig r;
    const auto path = fresh_path("tls");
    auto options = r.options();
    options.timeout = std::chrono::seconds{30}; // on a busy machine two handshakes take seconds
    session s{r.f.context, options};
    session other{r.f.context, options};
    mutex lock{s, path};
    mutex next{other, path};
    auto held = acquire_now(r.f, lock);
    probe waiting;
    next.acquire(waiting.make());
    r.f.run_until([&] { return children_of(path, shared_secure_server().address()).size() == 2; });
    const auto before = r.proxy.connections();
    r.proxy.cut_all();
    r.f.run_until([&] {
        return r.proxy.connections() >= before + 2 && s.state() == session_state::connected &&
               other.state() == session_state::connected;
    });
    CHECK(held.is_held());
    CHECK_FALSE(waiting.done());
    release_now(r.f, held);
    CHECK(end_of(r.f, waiting) == error_code{});
}

TEST_CASE("TLS: a cut is no matter of a certificate that the user's context let pass") {
    tls_rig r;
    log_record told;
    auto how = trusting();
    how.context = make_context(how);
    how.context->set_verify_mode(boost::asio::ssl::verify_none);
    how.server_name = "zk2.example.org";
    auto options = tls_session(how, r.proxy.address());
    options.log = {.level = log_level::warning, .sink = told.sink()};
    session s{r.f.context, options};
    connect(r.f, s);
    r.proxy.cut_all();
    r.f.run_until([&] { return told.mentions("lost"); });
    CHECK_FALSE(told.mentions("certificate"));
}

TEST_CASE("TLS: a certificate that was renewed is shown from the next connection on") {
    fixture f;
    const auto& files = shared_certificates();
    zookeeper_server server{secured("need")};
    byte_proxy proxy{f.context, server.secure_port()};
    files.issue({.name = "renewed"});
    session s{f.context, tls_session(showing("renewed"), proxy.address())};
    connect(f, s);
    const auto reconnects = [&] {
        const auto before = proxy.connections();
        proxy.cut_all();
        f.run_until([&] { return proxy.connections() > before + 1; });
    };
    files.issue({.name = "renewed", .days = -1});
    reconnects();
    CHECK(s.state() == session_state::suspended);
    files.issue({.name = "renewed"});
    f.run_until([&] { return s.state() == session_state::connected; });
}

TEST_CASE("TLS: a file that blocks its reader does not block the session's thread") {
    fixture f;
    const auto pipe = shared_certificates().file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    auto how = trusting();
    how.certificate_file = how.key_file = pipe;
    const auto [code, words] = connect_in_vain(f, tls_session(how));
    CHECK(code == error::connect_timeout);
    CHECK_THAT(words, Contains("the files of TLS are still being read"));
    std::ofstream{pipe} << "no certificate"; // its reader goes on
}

// By hand: turnstile-integration-tests '[stall]'.
TEST_CASE("TLS: the longest stall of a thread whose hundred sessions come back", "[.][stall]") {
    fixture f;
    frame_proxy proxy{shared_server().port()};
    tls_front front{proxy.port(), shared_certificates()};
    auto options = tls_session({.authorities_file = all_authorities()}, front.address());
    options.timeout = 60s;
    stall_watch watch{f.context};
    std::vector<std::unique_ptr<session>> all;
    const auto come = [&](const char* how) {
        const auto count = [&] {
            return std::ranges::count_if(
                all, [](const auto& each) { return each->state() == session_state::connected; });
        };
        f.run_until([&] { return count() == session_count; }, 60s);
        const auto longest = watch.take_longest();
        std::cout << "stall: {\"sessions\": " << session_count << ", \"they\": \"" << how
                  << "\", \"late_ms\": " << longest.late / 1ms
                  << ", \"work_ms\": " << longest.work / 1ms << "}\n";
    };
    for (std::size_t i = 0; i < session_count; ++i) {
        all.push_back(std::make_unique<session>(f.context, options));
        all.back()->connect([](const error_code&) {});
    }
    come("come");
    proxy.cut_all(); // stands still until it has happened, which is the test's time
    f.run_until([&] { return watch.take_longest().late > 0ns; });
    f.run_until([&] {
        return std::ranges::none_of(
            all, [](const auto& each) { return each->state() == session_state::connected; });
    });
    come("come back");
}
