// SPDX-License-Identifier: BSL-1.0
// TLS with real servers: who is trusted, what is refused, and in which words.
#include "integration/support/name_service.hpp"
#include "integration/support/tls_support.hpp"
#include "support/foreign_client.hpp"

#include <boost/asio/ssl/context.hpp>

#include <cstdlib>

using Catch::Matchers::Contains;

TEST_CASE("TLS: a lock is taken and given back, by the server's address and by its name") {
    fixture f;
    use_a_lock(f, tls_session(trusting()));
    auto how = trusting();
    how.server_name = "zk1.example.org";
    use_a_lock(f, tls_session(how));
}

TEST_CASE("TLS: an absolute name of a server is known to its certificate without the last dot") {
    fixture f;
    name_service::of_process().set("zk1.example.org.", "127.0.0.1");
    const auto port = std::to_string(shared_secure_server().secure_port());
    use_a_lock(f, tls_session(trusting(), "zk1.example.org.:" + port));
}

TEST_CASE("TLS: who has no right is told who the session is") {
    fixture f;
    zookeeper_server server{secured("need")};
    auto options = tls_session(showing("client"), server.secure_address());
    options.identities = {{"digest", "carol:secret"}, {"digest", "secret"}};
    options.acl = acl::list({acl_entry::digest("dave:secret", permission::all)});
    session owner{f.context, options};
    mutex lock{owner, "/" + fresh_path("denied").substr(7)};
    diagnostics told;
    const auto code =
        result_of(f, [&](auto t) { lock.acquire(with_diagnostics(told, std::move(t))); });
    CHECK(code == condition::denied);
    CHECK(told.cause == "the session is digest carol, digest (not shown), x509 CN=client");
}

TEST_CASE("TLS: a lock of a session that speaks it excludes one that does not, in line") {
    fixture f;
    const auto path = fresh_path("tls");
    session closed{f.context, tls_session(trusting())};
    session plain{f.context, impatient(shared_secure_server().address())};
    mutex first{closed, path};
    mutex second{plain, path};
    auto held = acquire_now(f, first);
    probe waiting;
    second.acquire(waiting.make());
    f.run_until([&] { return children_of(path, shared_secure_server().address()).size() == 2; });
    CHECK_FALSE(waiting.done());
    release_now(f, held);
    CHECK(end_of(f, waiting) == error_code{});
}

TEST_CASE("TLS: large requests and answers, many at a time") {
    fixture f;
    auto options = tls_session(trusting());
    options.label = std::string(60'000, 'x'); // of several records
    session s{f.context, options};
    std::vector<std::unique_ptr<mutex>> locks;
    std::vector<probe> probes(40);
    const auto path = fresh_path("tls");
    for (auto& each : probes) {
        locks.push_back(std::make_unique<mutex>(s, path));
        locks.back()->acquire(each.make());
    }
    for (auto& each : probes) {
        REQUIRE(end_of(f, each) == error_code{});
        const auto line = line_of(f, *locks.front());
        CHECK(line.front().label.size() == 60'000);
        release_now(f, each.lock());
    }
}

TEST_CASE("TLS: what is refused, and in which words") {
    fixture f;
    SECTION("an authority that did not sign") {
        CHECK_THAT(refusal_of(f, tls_session(trusting("other"))),
                   Contains("its certificate is not trusted"));
    }
    SECTION("the system's authorities") {
        CHECK_THAT(refusal_of(f, tls_session({})), Contains("its certificate is not trusted"));
    }
    SECTION("another name") {
        auto how = trusting();
        how.server_name = "zk2.example.org";
        CHECK_THAT(refusal_of(f, tls_session(how)),
                   Contains("its certificate is for another name than \"zk2.example.org\""));
    }
    SECTION("another address") {
        auto how = trusting();
        how.server_name = "127.0.0.2";
        CHECK_THAT(refusal_of(f, tls_session(how)),
                   Contains("its certificate is for another name than \"127.0.0.2\""));
    }
    SECTION("a certificate that has expired") {
        shared_certificates().issue({.name = "expired", .days = -1});
        zookeeper_server server{secured("none", "expired")};
        CHECK_THAT(refusal_of(f, tls_session(trusting(), server.secure_address())),
                   Contains("its certificate is not trusted: certificate has expired"));
    }
    SECTION("TLS to a port without it") {
        CHECK_THAT(refusal_of(f, tls_session(trusting(), shared_secure_server().address())),
                   Contains("this port may be one without TLS"));
    }
    SECTION("no TLS to a port with it") {
        CHECK_THAT(refusal_of(f, impatient(shared_secure_server().secure_address())),
                   Contains("this port may be one with TLS"));
    }
}

TEST_CASE("TLS: a server that wants a certificate") {
    fixture f;
    zookeeper_server server{secured("need")};
    SECTION("gets it, and knows the session by it") {
        auto options = tls_session(showing("client"), server.secure_address());
        options.acl = acl::list({{"x509", "CN=client", permission::all}});
        use_a_lock(f, options);
        // Another identity has no rights there.
        auto other = impatient(server.address());
        session stranger{f.context, other};
        const auto path = "/" + fresh_path("x509").substr(7);
        session owner{f.context, options};
        mutex own{owner, path};
        auto held = acquire_now(f, own);
        mutex theirs{stranger, path};
        CHECK(result_of(f, [&](auto t) { theirs.acquire(std::move(t)); }) == condition::denied);
        release_now(f, held);
    }
    SECTION("gets none") {
        CHECK_THAT(refusal_of(f, tls_session(trusting(), server.secure_address())),
                   Contains("want a certificate") || Contains("wants a certificate"));
    }
    SECTION("gets one that it does not trust") {
        shared_certificates().issue({.name = "stranger", .authority = "other"});
        CHECK_THAT(refusal_of(f, tls_session(showing("stranger"), server.secure_address())),
                   Contains("want a certificate") || Contains("wants a certificate"));
    }
    SECTION("gets one that has expired") {
        shared_certificates().issue({.name = "late", .days = -1});
        log_record log;
        CHECK_THAT(refusal_of(f, tls_session(showing("late"), server.secure_address()), log),
                   Contains("our own certificate expired at "));
        CHECK(log.lines.front().second.starts_with("no session: our own certificate expired at "));
    }
}

TEST_CASE("TLS: a context of the user's own") {
    fixture f;
    namespace ssl = boost::asio::ssl;
    const auto own = std::make_shared<ssl::context>(ssl::context::tls_client);
    own->load_verify_file(shared_certificates().file("ca"));
    tls_options how{.context = own};
    SECTION("that verifies") {
        own->set_verify_mode(ssl::verify_peer);
        use_a_lock(f, tls_session(how));
        how.server_name = "zk2.example.org";
        CHECK_THAT(refusal_of(f, tls_session(how)), Contains("another name"));
    }
    SECTION("that verifies nothing, for several sessions") {
        own->set_verify_mode(ssl::verify_none);
        how.server_name = "zk2.example.org";
        use_a_lock(f, tls_session(how));
        use_a_lock(f, tls_session(how));
    }
}

TEST_CASE("TLS: files that cannot be used are refused before anything is sent") {
    fixture f;
    const auto& files = shared_certificates();
    const auto refusal = [&](tls_options how) {
        const auto [code, words] = connect_in_vain(f, tls_session(how));
        CHECK(code == error::bad_options);
        return words;
    };
    CHECK_THAT(refusal({.authorities_file = "/no/such.pem"}),
               Contains("tls.authorities_file = \"/no/such.pem\" cannot be used: No such file"));
    CHECK_THAT(refusal({.authorities_folder = "/no/such"}),
               Contains("tls.authorities_folder = \"/no/such\" cannot be used: No such file"));
    CHECK_THAT(refusal({.authorities_folder = files.file("ca")}),
               Contains("cannot be used: Not a directory"));
    CHECK_THAT(refusal({.certificate_file = files.file("client", ".key")}),
               Contains("tls.certificate_file"));
    CHECK_THAT(refusal({.certificate_file = files.file("client")}), Contains("tls.key_file"));
    CHECK_THAT(refusal({.certificate_file = files.file("client"),
                        .key_file = files.file("server", ".key")}),
               Contains("key values mismatch"));
    std::ofstream{files.file("locked", ".key")}
        << "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGbMFcGCSqGSIb3DQEFDTBK\n"
           "-----END ENCRYPTED PRIVATE KEY-----\n";
    CHECK_THAT(refusal({.certificate_file = files.file("client"),
                        .key_file = files.file("locked", ".key")}),
               Contains("tls.key_file"));
}
