// Server lists: what is accepted, and what each part becomes.
#include "protocol/names/server_list.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

namespace {

using addresses = std::vector<server_address>;

server_list parsed(const std::string& text) {
    CAPTURE(text);
    const auto list = server_list::parse(text);
    REQUIRE(list);
    return *list;
}

} // namespace

TEST_CASE("a server list is hosts with ports, separated by commas") {
    const auto list = parsed("zk1:2181,zk2.example.org:2182,10.0.0.3:65535");
    CHECK(list.servers == addresses{{"zk1", 2181}, {"zk2.example.org", 2182}, {"10.0.0.3", 65535}});
    CHECK(list.chroot.empty());
}

TEST_CASE("a missing port is 2181") {
    CHECK(parsed("zk1,zk2:1").servers == addresses{{"zk1", 2181}, {"zk2", 1}});
    CHECK(parsed("[::1]").servers == addresses{{"::1", 2181}});
}

TEST_CASE("IPv6 addresses stand in brackets") {
    CHECK(parsed("[::1]:2183").servers == addresses{{"::1", 2183}});
    CHECK(parsed("[2001:db8::7]:1,[::ffff:10.0.0.1]").servers ==
          addresses{{"2001:db8::7", 1}, {"::ffff:10.0.0.1", 2181}});
    CHECK(parsed("[fe80::1%2]:9").servers == addresses{{"fe80::1%2", 9}});
}

TEST_CASE("a link-local address may name its interface") {
    CHECK(parsed("[fe80::1%eth0]:9").servers == addresses{{"fe80::1%eth0", 9}});
}

TEST_CASE("the chroot follows the last server") {
    const auto list = parsed("zk1:2181,zk2:2181/apps/billing");
    CHECK(list.servers == addresses{{"zk1", 2181}, {"zk2", 2181}});
    CHECK(list.chroot == "/apps/billing");
    CHECK(parsed("[::1]/a").chroot == "/a");
}

TEST_CASE("a chroot of the root is none") { CHECK(parsed("zk1/").chroot.empty()); }

TEST_CASE("texts that are no server list are refused") {
    const auto text =
        GENERATE(as<std::string>{}, "", ",", "zk1,", ",zk1", "zk1,,zk2", " zk1", "zk1 ", "zk1, zk2",
                 "zk1\n", "zk1:", "zk1:0", "zk1:65536", "zk1:99999999999", "zk1:-1", "zk1:+1",
                 "zk1:2x", "zk1:x", "zk1: 2181", "zk1:2181:2181", ":2181", "/apps", "zk1//",
                 "zk1/apps/", "zk1/a//b", "zk1/a/../b", "zk1/a,zk2", "::1", "2001:db8::7", "[::1",
                 "[::1]x", "[::1]:", "[::1]:0", "[]", "[]:2181", "[zk1]:2181", "::1]:2181",
                 "[[::1]]", "zk1@2181", "zk1;zk2", "z\xc3\xa4", "zk1:2181 /a");
    // "zk1/a,zk2" has a chroot named "a,zk2", as ZooKeeper reads it.
    CAPTURE(text);
    CHECK(server_list::parse(text).has_value() == (text == "zk1/a,zk2"));
}

TEST_CASE("a host name is at most 253 characters long") {
    CHECK(server_list::parse(std::string(253, 'a')));
    CHECK_FALSE(server_list::parse(std::string(254, 'a')));
}
