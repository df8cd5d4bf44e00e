// SPDX-License-Identifier: BSL-1.0
// A bad option is refused in words that say which, what it is and what it may be.
#include "session/option_check.hpp"

#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::detail;
using namespace std::chrono_literals;

namespace {

using change = std::function<void(session_options&)>;

fault fault_with(const change& make) {
    session_options options;
    make(options);
    return check_options(options);
}
error_code check_with(const change& make) { return fault_with(make).code; }

void refuses(const std::string& text, const change& make) {
    const auto found = fault_with(make);
    CHECK(found.code == error::bad_options);
    CHECK(found.text.substr(0, text.size()) == text);
    CHECK(found.text.size() > text.size()); // what it is for
}

} // namespace

TEST_CASE("so many permits at once are refused as one request cannot make") {
    session_options options;
    CHECK(check_permits(options, "/locks/a", 1000).code == error_code());
    CHECK(check_permits(options, "/locks/a", 1001).code == error::request_too_large);
    options.label = std::string(2000, 'a');
    CHECK(check_permits(options, "/locks/a", 1000).code == error::request_too_large);
    CHECK(check_permits(options, "/locks/a", 300).code == error_code());
}

TEST_CASE("a bad option is named, with its value and its range") {
    refuses("timeout = 0 ms is out of range 200 ms to 3600000 ms: ",
            [](auto& o) { o.timeout = 0ms; });
    refuses("host_guard = \"" + std::string(200, 'x') +
                "...\" is out of range, a path of at most 107 bytes: ",
            [](auto& o) { o.host_guard = std::string(300, 'x'); });
    refuses("host_guard_processes.size() = 9 is out of range 0 to 8: ",
            [](auto& o) { o.host_guard_processes.resize(9); });
    refuses("timeout = 3600001 ms is out of range 200 ms to 3600000 ms: ",
            [](auto& o) { o.timeout = 1h + 1ms; });
    refuses("connect_timeout = -1 ms is out of range, at least 1 ms: ",
            [](auto& o) { o.connect_timeout = -1ms; });
    refuses("unreachable_limit = 0 ms is out of range, at least 1 ms: ",
            [](auto& o) { o.unreachable_limit = 0ms; });
    refuses("shortest_backoff = 0 ms is out of range, at least 1 ms: ",
            [](auto& o) { o.shortest_backoff = 0ms; });
    refuses("longest_backoff = 49 ms is out of range, at least 50 ms: ",
            [](auto& o) { o.longest_backoff = 49ms; });
    refuses("tick = 0 ms is out of range, at least 1 ms: ", [](auto& o) { o.tick = 0ms; });
    refuses("margin = 3750 ms is out of range 0 ms to 3749 ms: ",
            [](auto& o) { o.margin = o.timeout / 4; });
    refuses("ticket_bytes = 1900000 is out of range 4096 to 1048576: ",
            [](auto& o) { o.ticket_bytes = 1'900'000; });
    refuses("ticket_bytes = 4095 is out of range 4096 to 1048576: ",
            [](auto& o) { o.ticket_bytes = 4095; });
    refuses("identities[1].scheme = \"\" is out of range: ", [](auto& o) {
        o.identities = {{"digest", "a:b"}, {"", "nobody"}};
    });
}

TEST_CASE("a certificate's subject in another form than servers write it is refused") {
    const auto fault_of = [](const std::string& subject) {
        session_options options;
        options.acl = acl::list({{"x509", subject, permission::all}});
        return check_options(options);
    };
    for (const std::string good :
         {"CN=billing,OU=Billing,O=Example GmbH", "CN=a", "CN=Doe\\, Jane,O=x", "O=a\\=b,C=DE",
          "1.2.840.113549.1.9.1=#1601,CN=a", "billing.example.org", "spiffe://example.org/a?b=c"}) {
        CAPTURE(good);
        CHECK_FALSE(fault_of(good).code);
    }
    for (const std::string wrong : {"/O=Example/CN=billing", "CN = billing", "CN = a, O = b",
                                    "CN=billing, O=Example GmbH", ", CN=billing"}) {
        const auto fault = fault_of(wrong);
        CHECK(fault.code == error::bad_acl);
        CHECK(fault.text.find(wrong) != std::string::npos);
        CHECK(fault.text.find("-nameopt RFC2253") != std::string::npos);
    }
}

TEST_CASE("entries that are refused are named, and so is what does not fit into a request") {
    const auto text_of = [](const change& make) { return fault_with(make).text; };
    CHECK(text_of([](auto& o) {
              o.acl = acl::list({acl_entry::digest("a:b", permission::all), {"ldap", "x\n", {}}});
          }) == "acl.entries[1] is no entry of ZooKeeper's; its scheme is \"ldap\"");
    CHECK(text_of([](auto& o) {
              o.acl = acl::list({{"digest", "alice:secret", permission::all}});
          }).find("secret") == std::string::npos);
    CHECK(text_of([](auto& o) {
              o.acl = acl::list({acl_entry::digest("a:b", permission::read)});
          }).starts_with("acl.entries together do not give"));
    CHECK(text_of([](auto& o) { o.acl.tickets.clear(); }).starts_with("acl.tickets do not give"));
    CHECK(text_of([](auto& o) {
              o.acl.directories = acl::rule::creator_all;
          }).find("no digest of user:password") != std::string::npos);
    CHECK(text_of([](auto& o) {
              o.identities = {{"digest", "a:b"}, {"digest", std::string(2'000'000, 'x')}};
          }) == "identities[1]: 2000006 bytes fit into no request");
    CHECK(text_of([](auto& o) {
              o.label = std::string(1'000'001, 'x');
          }).starts_with("label and acl.tickets: "));
}

TEST_CASE("what is refused is shown without control characters") {
    CHECK(check_lock_path("/locks/a\n%yield").text.find('\n') == std::string::npos);
    CHECK(fault_with([](auto& o) { o.host_guard = std::string(300, '\x1b'); }).text.find('\x1b') ==
          std::string::npos);
}

TEST_CASE("options at the ends of their ranges are taken") {
    CHECK_FALSE(check_with([](auto&) {}));
    CHECK_FALSE(check_with([](auto& o) { o.timeout = 200ms; }));
    CHECK_FALSE(check_with([](auto& o) { o.timeout = 1h; }));
    CHECK_FALSE(check_with([](auto& o) { o.margin = o.timeout / 4 - 1ms; }));
    CHECK_FALSE(check_with([](auto& o) { o.margin = 0ms; }));
    CHECK_FALSE(check_with([](auto& o) { o.ticket_bytes = 4096; }));
    CHECK_FALSE(check_with([](auto& o) { o.ticket_bytes = 1024 * 1024; }));
    CHECK_FALSE(check_with([](auto& o) { o.longest_backoff = o.shortest_backoff; }));
    CHECK_FALSE(check_with([](auto& o) {
        constexpr auto longest = std::chrono::milliseconds::max();
        o.connect_timeout = o.unreachable_limit = o.longest_backoff = longest;
        o.tick = longest;
    }));
}
