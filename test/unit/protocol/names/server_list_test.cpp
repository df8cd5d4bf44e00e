// SPDX-License-Identifier: BSL-1.0
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

TEST_CASE("a text that is no server list is refused, and the words say why") {
    struct refused {
        std::string text;
        std::string words;
    };
    const auto once = "the chroot stands once, at the end";
    const auto comma = "a comma too many";
    const auto blank = "blank";
    const auto port = "a port that is no number from 1 to 65535";
    const auto brackets = "in brackets, as in [::1]:2181";
    const auto no_host = "is no host";
    const auto chroot = "is no chroot";
    const auto one = GENERATE_COPY(values<refused>({
        {"", "it is empty"},
        {"h1:2181/app,h2:2181/app", once},
        {"h1/app,h2", once},
        {"h1/app,h2/other", once},
        {"h1/,h2", once},
        {"h1/app;h2/app", "not by ';'"},
        {"zk1;zk2", "not by ';'"},
        {"h1/app h2/app", blank},
        {"zk://h/app", "\"zk://\" is not needed"},
        {"zookeeper://h:2181,g:2181", "is not needed"},
        {"\"zk1:2181\"", "quotes"},
        {"'zk1:2181/app'", "quotes"},
        {"zk1:2181/app\"", "quotes"},
        {" zk1", "at its beginning or end"},
        {"zk1 ", "at its beginning or end"},
        {"zk1\n", "at its beginning or end"},
        {"zk1:2181/app\r\n", "at its beginning or end"},
        {"zk1, zk2", "there is a blank in it"},
        {"zk1: 2181", blank},
        {"zk1:2181 /a", blank},
        {",", comma},
        {"zk1,", comma},
        {",zk1", comma},
        {"zk1,,zk2", comma},
        {"/apps", comma},
        {"zk1:", "\"zk1:\" has no port behind its colon"},
        {"[::1]:", "has no port behind its colon"},
        {"zk1:0", port},
        {"zk2,zk1:65536", "\"zk1:65536\" has a port"},
        {"zk1:99999999999", port},
        {"zk1:-1", port},
        {"zk1:+1", port},
        {"zk1:2x", port},
        {"zk1:2181:2181", port},
        {"[::1]:0", port},
        {":2181", "has no host"},
        {".:2181", no_host},
        {"2181", no_host},
        {"10.0.0", no_host},
        {"10.0.0.256:2181", no_host},
        {"010.0.0.1", no_host},
        {"0x7f000001:2181", no_host},
        {"1.2.3.4.5", no_host},
        {"zk1@2181", no_host},
        {"z\xc3\xa4", no_host},
        {"::1]:2181", "has no host"},
        {"::1", brackets},
        {"2001:db8::7", brackets},
        {"fe80::1%eth0", brackets},
        {"[::1", brackets},
        {"[::1]x", brackets},
        {"[]", brackets},
        {"[]:2181", brackets},
        {"[zk1]:2181", brackets},
        {"[10.0.0.1]:2181", brackets},
        {"[[::1]]", brackets},
        {"zk1/apps/", "a slash at its end"},
        {"zk1//", "a slash at its end"},
        {"zk1/a//b", chroot},
        {"zk1/a/../b", chroot},
        {"zk1/zookeeper", chroot},
    }));
    CAPTURE(one.text);
    CHECK_FALSE(server_list::parse(one.text));
    CHECK_THAT(server_list::wrong_with(one.text), Catch::Matchers::Contains(one.words));
}

TEST_CASE("nothing is wrong with a server list") {
    CHECK(server_list::wrong_with("zk1:2181,[::1],10.0.0.1:1,zk.2nd.example/a/b").empty());
}

TEST_CASE("a host name is at most 253 characters long") {
    CHECK(server_list::parse(std::string(253, 'a')));
    CHECK_FALSE(server_list::parse(std::string(254, 'a')));
}
