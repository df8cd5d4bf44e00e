// SPDX-License-Identifier: BSL-1.0
// SASL by Kerberos, with a KDC and real servers of our own.
#include "integration/support/name_service.hpp"
#include "integration/support/sasl_support.hpp"
#include "support/byte_proxy.hpp"
#include "support/kdc.hpp"

using Catch::Matchers::Contains;

namespace {

/// A realm with the user carol, and a server that asks for SASL.
struct realm {
    kdc tickets;
    std::string carol = tickets.keytab("carol");
    std::string servers = tickets.keytab("zookeeper/localhost");
    temp_folder folder{"turnstile-jaas-"};
    zookeeper_server server{knowing_this()};

    zookeeper_server_options knowing_this() const {
        zookeeper_server_options how;
        how.config_lines = {"sessionRequireClientSASLAuth=true"};
        how.system_properties = {"java.security.krb5.conf=" + tickets.configuration()};
        how.max_session_timeout_ms = 40'000;
        know_realm(how, folder.path(), servers, "zookeeper/localhost@" + kdc::realm());
        return how;
    }
};

/// Null, said once, where the programs are missing.
realm* shared_realm() {
    static const bool is_installed = kdc::is_installed();
    if (!is_installed) {
        WARN("skipped: Debian's krb5-kdc, krb5-admin-server and krb5-user are not all installed");
        return nullptr;
    }
    static realm all;
    return &all;
}

session_options kerberos_session(const realm& r, const sasl_gssapi& who) {
    return sasl_session(who, "localhost:" + std::to_string(r.server.port()));
}

} // namespace

TEST_CASE("GSSAPI: a session gets in by keytab and by ticket cache") {
    fixture f;
    const auto r = shared_realm();
    if (!r)
        return;
    const auto cache = r->tickets.ticket_cache(r->carol, "carol");
    SECTION("by keytab, for whoever stands first in it") {
        use_a_lock(f, kerberos_session(*r, {.keytab = r->carol}));
    }
    SECTION("by keytab, to an absolute host name") {
        name_service::of_process().set("localhost.", "127.0.0.1");
        use_a_lock(f, sasl_session(sasl_gssapi{.keytab = r->carol},
                                   "localhost.:" + std::to_string(r->server.port())));
    }
    SECTION("by keytab, for a principal, to another host name") {
        auto options = kerberos_session(
            *r, {.principal = "carol@" + kdc::realm(), .host = "localhost", .keytab = r->carol});
        options.servers = r->server.address();
        use_a_lock(f, options);
    }
    SECTION("by ticket cache") {
        use_a_lock(f, kerberos_session(*r, {.ticket_cache = cache}));
        use_a_lock(f,
                   kerberos_session(*r, {.principal = "carol", .ticket_cache = "FILE:" + cache}));
    }
    SECTION("by the cache of the environment") {
        ::setenv("KRB5CCNAME", cache.c_str(), 1);
        use_a_lock(f, kerberos_session(*r, {}));
        ::unsetenv("KRB5CCNAME");
    }
}

TEST_CASE("GSSAPI: a session is its principal in ACLs") {
    fixture f;
    const auto r = shared_realm();
    if (!r)
        return;
    auto options = kerberos_session(*r, {.keytab = r->carol});
    options.acl = acl::list({{"sasl", "carol@" + kdc::realm(), permission::all}});
    session owner{f.context, options};
    const auto path = "/" + fresh_path("kerberos").substr(7);
    mutex lock{owner, path};
    auto held = acquire_now(f, lock);
    session other{f.context, kerberos_session(*r, {.keytab = r->tickets.keytab("dave")})};
    mutex theirs{other, path};
    CHECK(result_of(f, [&](auto t) { theirs.acquire(std::move(t)); }) == condition::denied);
    release_now(f, held);
}

TEST_CASE("GSSAPI: what Kerberos refuses, and in which words") {
    fixture f;
    const auto r = shared_realm();
    if (!r)
        return;
    const auto words_of = [&](const sasl_gssapi& who) {
        const auto [code, words] = connect_in_vain(f, kerberos_session(*r, who));
        CHECK(code == error::connect_timeout);
        return words;
    };
    SECTION("no ticket cache") {
        CHECK_THAT(words_of({.ticket_cache = "/no/such.cache"}),
                   Contains("Kerberos has no ticket for this session") && Contains("kinit"));
    }
    SECTION("a ticket that has expired") {
        const auto file = r->tickets.keytab("erin");
        const auto cache = r->tickets.ticket_cache(file, "erin", "1s");
        f.run_until([&] { return r->tickets.has_expired(cache); });
        CHECK_THAT(words_of({.ticket_cache = cache}), Contains("expired"));
    }
    SECTION("a principal that is not in the keytab, or in no realm") {
        CHECK_THAT(words_of({.principal = "mallory", .keytab = r->carol}),
                   Contains("The keytab has no key of \"mallory\""));
        CHECK_THAT(words_of({.principal = "carol@EMPTY.TEST", .keytab = r->carol}),
                   Contains("EMPTY.TEST"));
    }
    SECTION("a host or a service that the realm does not know") {
        CHECK_THAT(words_of({.host = "zk9", .keytab = r->carol}),
                   Contains("zookeeper/zk9@TURNSTILE.TEST not found"));
        CHECK_THAT(words_of({.service = "kafka", .keytab = r->carol}),
                   Contains("kafka/localhost@TURNSTILE.TEST not found"));
    }
    SECTION("a KDC that is down") {
        r->tickets.stop();
        CHECK_THAT(words_of({.keytab = r->carol}), Contains("Cannot contact any KDC"));
        r->tickets.start();
        use_a_lock(f, kerberos_session(*r, {.keytab = r->carol}));
    }
}

TEST_CASE("GSSAPI: a server by another service's key is refused by it, and says so") {
    fixture f;
    const auto r = shared_realm();
    if (!r)
        return;
    (void)r->tickets.keytab("other/localhost");
    const auto [code, words] =
        connect_in_vain(f, kerberos_session(*r, {.service = "other", .keytab = r->carol}));
    CHECK(code == error::auth_failed);
    CHECK_THAT(words, Contains("the server refused"));
}

TEST_CASE("GSSAPI: a new key of the servers' principal costs a living session no lock") {
    fixture f;
    log_record log;
    const auto r = shared_realm();
    if (!r)
        return;
    const bool by_keytab = GENERATE(true, false);
    const sasl_gssapi who =
        by_keytab ? sasl_gssapi{.keytab = r->carol}
                  : sasl_gssapi{.ticket_cache = r->tickets.ticket_cache(r->carol, "carol")};
    auto options = kerberos_session(*r, who);
    options.timeout = 15s;
    options.log = {.level = log_level::warning, .sink = log.sink()};
    std::vector<std::unique_ptr<session>> sessions;
    std::vector<std::unique_ptr<mutex>> locks;
    std::vector<held_lock> held;
    for (int i = 0; i < 20; ++i) {
        sessions.push_back(std::make_unique<session>(f.context, options));
        locks.push_back(std::make_unique<mutex>(*sessions.back(), fresh_path("kerberos")));
        held.push_back(acquire_now(f, *locks.back()));
    }
    r->tickets.renew_key("zookeeper/localhost", r->servers);
    r->server.stop();
    r->server.start();
    for (const auto& each : sessions) // granted again
        settle(f, *each);
    CHECK(std::ranges::count_if(held, &held_lock::is_held) == 20);
    CHECK(log.mentions("the server refused our principal in SASL"));
    for (auto& each : held)
        release_now(f, each);
}

TEST_CASE("GSSAPI: tickets that a session got while clocks differed are dropped") {
    fixture f;
    const auto r = shared_realm();
    if (!r)
        return;
    r->tickets.stop();
    r->tickets.start(true);
    session s{f.context, kerberos_session(*r, {.keytab = r->carol})};
    const auto connect_once = [&] {
        return result_of(f, [&](auto t) { s.connect(std::move(t)); });
    };
    CHECK(connect_once() == error::auth_failed); // the server's clock is right
    r->tickets.stop();
    r->tickets.start();
    CHECK(connect_once() == error_code{});
}

TEST_CASE("GSSAPI: a password is no way in where the server wants Kerberos, and the reverse") {
    fixture f;
    const auto r = shared_realm();
    if (!r)
        return;
    const auto by_password = connect_in_vain(f, sasl_session(sasl_alice(), r->server.address()));
    CHECK(by_password.code == error::auth_failed);
    auto options =
        sasl_session(sasl_gssapi{.service = "zookeeper", .host = "localhost", .keytab = r->carol});
    CHECK(connect_in_vain(f, options).code == error::auth_failed);
}

TEST_CASE("GSSAPI: a session that is restored needs no KDC, for it has its tickets") {
    fixture f;
    const auto r = shared_realm();
    if (!r)
        return;
    byte_proxy proxy{f.context, r->server.port()};
    auto options = kerberos_session(*r, {.host = "localhost", .keytab = r->carol});
    options.servers = proxy.address();
    options.acl = acl::list({{"sasl", "carol@" + kdc::realm(), permission::all}});
    session s{f.context, options};
    mutex lock{s, "/" + fresh_path("kerberos").substr(7)};
    auto held = acquire_now(f, lock);
    r->tickets.stop();
    const auto before = proxy.connections();
    proxy.cut_all();
    f.run_until(
        [&] { return proxy.connections() > before && s.state() == session_state::connected; });
    CHECK(held.is_held());
    release_now(f, held);
    r->tickets.start();
}

TEST_CASE("GSSAPI: a KDC that stands still blocks neither the loop nor an end") {
    fixture f;
    const auto r = shared_realm();
    if (!r)
        return;
    byte_proxy proxy{f.context, r->server.port()};
    auto options = kerberos_session(*r, {.host = "localhost", .keytab = r->carol});
    options.servers = proxy.address();
    options.connect_timeout = 60s;
    r->tickets.freeze();
    std::optional<session> s{std::in_place, f.context, options};
    probe connected;
    s->connect(connected.make());
    // Within the first attempt: had it blocked the loop, a second one would have begun before.
    std::size_t ticks = 0;
    boost::asio::steady_timer timer{f.context};
    std::function<void()> tick = [&] {
        timer.expires_after(1ms);
        timer.async_wait([&](const error_code& failed) {
            if (failed || proxy.connections() == 0)
                return tick();
            ++ticks;
            tick();
        });
    };
    tick();
    f.run_until([&] { return ticks == 20; });
    CHECK(proxy.connections() == 1);
    CHECK_FALSE(connected.done());
    SECTION("it goes on") {
        r->tickets.thaw();
        CHECK(end_of(f, connected) == error_code{});
    }
    SECTION("attempts follow each other, and one gets in") {
        f.run_until([&] { return proxy.connections() == 4; });
        r->tickets.thaw();
        CHECK(end_of(f, connected) == error_code{});
    }
    SECTION("the session is closed") {
        CHECK(result_of(f, [&](auto t) { s->close(std::move(t)); }) == error_code{});
        CHECK(end_of(f, connected) == error::session_closed);
        r->tickets.thaw();
    }
    SECTION("the session goes, and its context") {
        s.reset();
        CHECK(end_of(f, connected) == error::session_closed);
        r->tickets.thaw();
    }
    timer.cancel();
}
