// SPDX-License-Identifier: BSL-1.0
// The code that docs/security.md shows: who may use a lock, and who is refused.
#include "exit_code.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/system_error.hpp>
#include <iostream>
#include <string>
#include <turnstile.hpp>

namespace asio = boost::asio;

namespace {

const std::string secret = "a long random password";

turnstile::session_options one_group() {
    turnstile::session_options options;
    options.servers = "127.0.0.1:21811";
    options.identities = {{"digest", "billing:" + secret}};
    options.acl = turnstile::acl::creator_all();
    return options;
}

turnstile::session_options with_operators() {
    auto options = one_group();
    const std::string ops_hash = "0vyvYxLSmtVgN6L9Vx4Y4tKB8Ww="; // of ops:PASSWORD
    using turnstile::acl_entry;
    using enum turnstile::permission;
    options.acl = turnstile::acl::list({acl_entry::digest("billing:" + secret, all),
                                        {"digest", "ops:" + ops_hash, read | remove}});
    return options;
}

turnstile::session_options with_closed_tickets() {
    auto options = one_group();
    using turnstile::acl_entry;
    options.acl = turnstile::acl::creator_all();
    options.acl.tickets = {acl_entry::digest("billing:" + secret, turnstile::permission::read)};
    return options;
}

turnstile::session_options by_sasl(const std::string& password) {
    using enum turnstile::permission;
    turnstile::session_options options;
    options.sasl = turnstile::sasl_digest_md5{"alice", password};
    options.acl = turnstile::acl::list({{"sasl", "alice", all}});
    return options;
}

turnstile::session_options by_tls() {
    turnstile::session_options options;
    options.servers = "zk1.example.org:2281,zk2.example.org:2281,zk3.example.org:2281";
    options.tls = turnstile::tls_options{.authorities_file = "/etc/turnstile/ca.pem",
                                         .certificate_file = "/etc/turnstile/billing.pem",
                                         .key_file = "/etc/turnstile/billing.key"};
    return options;
}

/// Where the files are missing, it is said before anything is sent.
bool names_missing_files() {
    try {
        turnstile::make_context(*by_tls().tls);
        return true; // this host has them
    } catch (const boost::system::system_error& e) {
        return e.code() == turnstile::error::bad_options;
    }
}

asio::awaitable<void> use(turnstile::session& session, std::string path) {
    turnstile::mutex lock{session, path};
    const auto [code, held] = co_await lock.acquire(asio::as_tuple(asio::deferred));
    std::cout << path << ": " << (code == turnstile::condition::denied ? "denied" : code.message())
              << '\n';
    co_await session.close();
}

/// The group may use the lock. Somebody without the identity may not.
bool shuts_out(int argc, char** argv, const std::string& path,
               const turnstile::session_options& of_the_group) {
    const auto use_it = [&](turnstile::session& session) { return use(session, path); };
    turnstile::session_options of_a_stranger;
    of_a_stranger.identities = {{"digest", "stranger:password"}};
    return exit_code_of(argc, argv, use_it, of_the_group) == 0 &&
           exit_code_of(argc, argv, use_it, of_a_stranger) == 0;
}

} // namespace

int main(int argc, char** argv) {
    return shuts_out(argc, argv, "/one", one_group()) &&
                   shuts_out(argc, argv, "/operators", with_operators()) &&
                   shuts_out(argc, argv, "/closed", with_closed_tickets()) &&
                   names_missing_files() && by_sasl("wonder").sasl.has_value()
               ? 0
               : 1;
}
