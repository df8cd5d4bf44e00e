// SPDX-License-Identifier: BSL-1.0
// ACLs that cannot work are refused before any I/O, and secrets stay where they belong.
#include "integration/support/access_support.hpp"

#include "support/frame_proxy.hpp"

#include <initializer_list>
#include <new>

namespace {

void check_refused(const std::function<void(session_options&)>& change) {
    fixture f;
    frame_proxy proxy{shared_server().port()};
    auto options = options_for(proxy.address());
    change(options);
    session s{f.context, options};
    mutex lock{s, "/locks/unreached"};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::bad_acl);
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::bad_acl);
    CHECK(s.state() == session_state::idle);
    CHECK(proxy.stats().connections == 0);
}

const auto everything = permission::all;
const std::string good_id = "alice:Zux4vhXTtSTr2Gnex/TzoKI8F1c=";

} // namespace

TEST_CASE("creator_all without an identity that can own the nodes is refused") {
    check_refused([](session_options& o) { o.acl = acl::creator_all(); });
    for (const identity& who : std::initializer_list<identity>{
             {"ip", "127.0.0.1"}, {"digest", "no-password"}, {"digest", ":nobody"}})
        check_refused([&](session_options& o) {
            o.acl = acl::creator_all();
            o.identities = {who};
        });
}

TEST_CASE("an entry that a server would refuse is refused") {
    const auto bad = [](const acl_entry& entry) {
        INFO(entry.scheme << ' ' << entry.id << ' ' << static_cast<int>(entry.permissions));
        check_refused([&](session_options& o) {
            o.acl = acl::list({acl_entry::anyone(everything), entry});
        });
        check_refused([&](session_options& o) { o.acl.tickets.push_back(entry); });
    };
    bad({"", "anyone", everything});
    bad({"World", "anyone", everything});
    bad({"auth", "", everything}); // would expand to the well-known guard as well
    bad({"auth", "x", everything});
    bad({"super", good_id, everything});
    bad({"unheard-of", "x", everything});
    bad({"world", "", everything});
    bad({"world", "everyone", everything});
    bad({"digest", "", everything});
    bad({"digest", "alice:wonder-8271", everything}); // a password, for all to read
    bad({"digest", "alice", everything});
    bad({"ip", "", everything});
    bad({"ip", "127.0.0.1\n", everything});
    bad({"digest", good_id, permission::none});
    bad({"digest", good_id, static_cast<permission>(32)});
    bad({"digest", good_id, static_cast<permission>(255)});
    bad(acl_entry::digest("no-password", everything));
    bad({"ip", std::string("127.0.0.1\0", 10), everything});
}

TEST_CASE("an ACL that shuts everybody out is refused") {
    using enum permission;
    check_refused([](session_options& o) { o.acl = acl::list({}); });
    for (const auto some : {create | read | write, create | read | remove, create | write | remove,
                            read | write | remove, admin})
        check_refused([&](session_options& o) { o.acl = acl::list({acl_entry::anyone(some)}); });
    check_refused([](session_options& o) { o.acl.tickets.clear(); });
    check_refused([](session_options& o) { o.acl.tickets = {acl_entry::anyone(write)}; });
}

TEST_CASE("a secret is in no ticket and in no node on the way") {
    fixture f;
    const auto path = fresh_root() + "/lock";
    auto options = options_as(alice, acl::creator_all());
    options.label = "label";
    session s{f.context, options};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    auto eyes = client_as(alice);
    const auto names = children_as(eyes, path);
    REQUIRE(names.size() == 1);
    for (const auto& node : {path + '/' + names[0], path}) {
        std::string data;
        REQUIRE(eyes.get(node, &data) == 0);
        CHECK(data.find("wonder") == std::string::npos);
        CHECK(node.find("wonder") == std::string::npos);
        for (const auto& right : rights_of(eyes, node))
            CHECK(right.id.find("wonder") == std::string::npos);
    }
    release_now(f, held);
}

TEST_CASE("an identity that goes leaves nothing of its secret in memory") {
    alignas(identity) std::byte room[sizeof(identity)];
    const auto who = new (room) identity{"digest", "u:short-secret"};
    const auto as_text = [&] {
        return std::string(reinterpret_cast<const char*>(room), sizeof(room));
    };
    REQUIRE(as_text().find("short-secret") != std::string::npos); // held in the object itself
    std::destroy_at(who);
    CHECK(as_text().find("short-secret") == std::string::npos);
    CHECK(as_text().find("secret") == std::string::npos);
}
