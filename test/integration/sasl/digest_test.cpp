// SPDX-License-Identifier: BSL-1.0
// SASL by password with real servers: who gets in, what is refused, and in which words.
#include "integration/support/harmed_connect.hpp"
#include "integration/support/sasl_support.hpp"
#include "support/byte_proxy.hpp"

#include <fstream>

using Catch::Matchers::Contains;

namespace {

/// In the server's answer to the handshake, in its challenge, and in what proves it.
auto each_place_of_proof() { return GENERATE(0U, 20U, 41U, 45U, 100U, 200U, 215U, 230U, 250U); }

/// Lets nobody in without SASL.
zookeeper_server& shared_strict_server() {
    static zookeeper_server server{knowing_users({"sessionRequireClientSASLAuth=true"})};
    return server;
}

struct proof_rig {
    fixture f;
    byte_proxy proxy{f.context, shared_strict_server().port()};

    session_options options() const { return sasl_session(sasl_alice(), proxy.address()); }
};

const std::vector<std::string> enforced{"enforce.auth.enabled=true", "enforce.auth.schemes=sasl"};

} // namespace

TEST_CASE("DIGEST-MD5: a lock is taken and given back, with and without TLS") {
    fixture f;
    use_a_lock(f, sasl_session(sasl_alice()));
    use_a_lock(f, sasl_session(sasl_bob()));
    auto how = knowing_users({"sessionRequireClientSASLAuth=true"});
    make_secure(how, shared_certificates());
    zookeeper_server server{how};
    auto options = sasl_session(sasl_alice(), server.secure_address());
    options.tls = trusting();
    use_a_lock(f, options);
    options.sasl = sasl_digest_md5{"alice", "wander"};
    CHECK(connect_in_vain(f, options).code == error::auth_failed);
}

TEST_CASE("DIGEST-MD5: what is refused, and in which words") {
    fixture f;
    const auto words_of = [&](const sasl_options& who) {
        const auto [code, words] = connect_in_vain(f, sasl_session(who));
        CHECK(code == error::auth_failed);
        return words;
    };
    SECTION("a wrong password") {
        CHECK_THAT(words_of(sasl_digest_md5{"alice", "wander"}),
                   Contains("the server refused user \"alice\" in SASL"));
        CHECK_THAT(words_of(sasl_digest_md5{"alice", ""}), Contains("refused user \"alice\""));
    }
    SECTION("an unknown user, or one of another realm") {
        CHECK_THAT(words_of(sasl_digest_md5{"mallory", "nobody"}),
                   Contains("the server refused user \"mallory\" in SASL"));
        CHECK_THAT(words_of(sasl_digest_md5{"alice@EXAMPLE.ORG", "nobody"}),
                   Contains("the server refused user \"alice@EXAMPLE.ORG\" in SASL"));
    }
    SECTION("a server without SASL") {
        const auto [code, words] =
            connect_in_vain(f, sasl_session(sasl_alice(), shared_server().address()));
        CHECK(code == error::auth_failed);
        CHECK_THAT(words, Contains("the server has no answer in SASL"));
    }
    SECTION("a port that is none of ZooKeeper's") {
        CHECK(connect_in_vain(f, sasl_session(sasl_alice(), "127.0.0.1:1")).code ==
              error::connect_timeout);
    }
}

TEST_CASE("DIGEST-MD5: a server that lets those in who fail proves nothing, and is refused") {
    fixture f;
    auto how = knowing_users();
    how.system_properties.emplace_back("zookeeper.allowSaslFailedClients=true");
    zookeeper_server server{how};
    use_a_lock(f, sasl_session(sasl_alice(), server.address()));
    const auto [code, words] =
        connect_in_vain(f, sasl_session(sasl_digest_md5{"alice", "wander"}, server.address()),
                        std::chrono::seconds{20});
    CHECK(code == error::auth_failed);
    CHECK_THAT(words, Contains("the server has no answer in SASL"));
}

TEST_CASE("DIGEST-MD5: options that cannot work are refused before anything is sent") {
    fixture f;
    const auto refusal = [&](const sasl_options& who) {
        const auto [code, words] = connect_in_vain(f, sasl_session(who));
        CHECK(code == error::bad_options);
        return words;
    };
    CHECK_THAT(refusal(sasl_digest_md5{"", "wonder"}), Contains("sasl.user is empty"));
    CHECK_THAT(refusal(sasl_gssapi{.keytab = "/no/such.keytab"}),
               Contains("sasl.keytab = \"/no/such.keytab\" cannot be used: No such file"));
    CHECK_THAT(refusal(sasl_gssapi{.keytab = "/a", .ticket_cache = "/b"}), Contains("both set"));
    CHECK_THAT(refusal(sasl_gssapi{.service = ""}), Contains("sasl.service is empty"));
}

TEST_CASE("GSSAPI: the keytab is looked at when a session connects, and not before") {
    fixture f;
    const temp_folder folder{"turnstile-keytab-"};
    const auto keytab = (folder.path() / "late.keytab").string();
    session s{f.context, sasl_session(sasl_gssapi{.keytab = keytab}, "127.0.0.1:1")};
    std::ofstream(keytab) << "a keytab that comes late\n";
    diagnostics diag;
    CHECK(result_of(f, [&](auto t) { s.connect(with_diagnostics(diag, std::move(t))); }) ==
          error::connect_timeout);
    CHECK_THAT(diag.cause, !Contains("late.keytab"));
}

TEST_CASE("DIGEST-MD5: servers that enforce SASL refuse a session without it") {
    fixture f;
    zookeeper_server server{knowing_users(
        GENERATE(std::vector<std::string>{"sessionRequireClientSASLAuth=true"}, enforced))};
    use_a_lock(f, sasl_session(sasl_alice(), server.address()));
    CHECK(connect_in_vain(f, sasl_session(sasl_digest_md5{"alice", "wander"}, server.address()),
                          std::chrono::seconds{20})
              .code == error::auth_failed);
    auto without = impatient(server.address());
    session s{f.context, without};
    mutex lock{s, fresh_path("sasl")};
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::auth_failed);
}

TEST_CASE("DIGEST-MD5: a session is its user in ACLs, beside its other identities") {
    fixture f;
    auto options = sasl_session(sasl_alice());
    options.identities = {{"digest", "carol:secret"}};
    options.acl =
        acl::list({{"sasl", "alice", permission::all}, {"sasl", "bob", permission::read}});
    session owner{f.context, options};
    const auto path = "/" + fresh_path("sasl").substr(7);
    mutex lock{owner, path};
    auto held = acquire_now(f, lock);
    session other{f.context, sasl_session(sasl_bob())};
    mutex theirs{other, path};
    CHECK(result_of(f, [&](auto t) { theirs.acquire(std::move(t)); }) == condition::denied);
    release_now(f, held);
    // A digest of the same session owns what it makes, too.
    options.acl = acl::creator_all();
    session second{f.context, options};
    mutex own{second, "/" + fresh_path("sasl").substr(7)};
    auto mine = acquire_now(f, own);
    release_now(f, mine);
}

TEST_CASE("DIGEST-MD5: many sessions at a time") {
    fixture f;
    std::vector<std::unique_ptr<session>> all;
    std::vector<probe> connected(30);
    for (auto& each : connected) {
        all.push_back(std::make_unique<session>(f.context, sasl_session(sasl_alice())));
        all.back()->connect(each.make());
    }
    for (auto& each : connected) {
        CHECK(end_of(f, each) == error_code{});
    }
}

TEST_CASE("DIGEST-MD5: a session that is restored proves itself again") {
    proof_rig r;
    auto options = r.options();
    options.acl = acl::list({{"sasl", "alice", permission::all}});
    session s{r.f.context, options};
    session other{r.f.context, options};
    const auto path = "/" + fresh_path("sasl").substr(7);
    mutex lock{s, path};
    mutex next{other, path};
    auto held = acquire_now(r.f, lock);
    connect(r.f, other);
    for (int i = 0; i < 3; ++i) {
        const auto before = r.proxy.connections();
        r.proxy.cut_all();
        r.f.run_until([&] {
            return r.proxy.connections() >= before + 2 && s.state() == session_state::connected &&
                   other.state() == session_state::connected;
        });
    }
    CHECK(held.is_held());
    probe waiting;
    next.acquire(waiting.make());
    release_now(r.f, held);
    CHECK(end_of(r.f, waiting) == error_code{});
}

TEST_CASE("DIGEST-MD5: a connection that is cut within the exchange costs one attempt") {
    proof_rig r;
    r.proxy.do_harm(byte_proxy::harm::cut, each_place_of_proof());
    check_cut_costs_an_attempt(r.f, r.proxy, r.options());
}

TEST_CASE("DIGEST-MD5: an exchange that stands still is over when the attempt's time is") {
    proof_rig r;
    r.proxy.do_harm(byte_proxy::harm::stall, GENERATE(0U, 41U, 100U, 215U));
    check_stalled_attempt_is_left(r.f, r.proxy, r.options());
}

TEST_CASE("DIGEST-MD5: a session that is closed or destroyed within the exchange leaves nothing") {
    proof_rig r;
    r.proxy.do_harm(byte_proxy::harm::stall, each_place_of_proof());
    check_ends_within_attempt(r.f, r.proxy, r.options());
}
