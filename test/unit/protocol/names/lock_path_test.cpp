// SPDX-License-Identifier: BSL-1.0
// Lock paths are refused before any I/O: the server would mask a bad one with "no node".
#include "protocol/names/lock_path.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace std::string_literals;

TEST_CASE("ordinary lock paths are accepted") {
    const auto path = GENERATE(as<std::string>{}, "/a", "/locks/orders", "/a/b/c/d/e", "/a b",
                               "/.a", "/a.", "/...", "/a..b", "/-", "/turn-5-lock-0000000001",
                               "/zookeeperish", "/a/zookeeper", "/Z", "/%41", "/\"", "/~");
    CAPTURE(path);
    CHECK(is_valid_lock_path(path));
}

TEST_CASE("lock paths that the server refuses, or masks, are refused") {
    const auto path =
        GENERATE(as<std::string>{}, "", "x", "/", "//", "/a/", "/a//b", "//a", ".", "..", "/.",
                 "/..", "/a/.", "/a/..", "/./a", "/../a", "/a/./b", "/a/../b", "a/b", " /a");
    CAPTURE(path);
    CHECK_FALSE(is_valid_lock_path(path));
}

TEST_CASE("control characters are refused wherever they stand") {
    for (int c = 0; c < 0x20; ++c) {
        CAPTURE(c);
        CHECK_FALSE(is_valid_lock_path("/a"s + static_cast<char>(c)));
        CHECK_FALSE(is_valid_lock_path("/"s + static_cast<char>(c) + "a"));
    }
    CHECK_FALSE(is_valid_lock_path("/a\x7f"));
    CHECK_FALSE(is_valid_lock_path("/a\xc2\x80")); // U+0080
    CHECK_FALSE(is_valid_lock_path("/a\xc2\x9f")); // U+009F
    CHECK(is_valid_lock_path("/a\xc2\xa0"));       // U+00A0
}

TEST_CASE("characters beyond ASCII are accepted as far as the server takes them") {
    CHECK(is_valid_lock_path("/\xc3\xa4"));           // U+00E4
    CHECK(is_valid_lock_path("/\xe2\x82\xac"));       // U+20AC
    CHECK(is_valid_lock_path("/\xed\x9f\xbf"));       // U+D7FF
    CHECK(is_valid_lock_path("/\xef\xbf\xaf"));       // U+FFEF
    CHECK_FALSE(is_valid_lock_path("/\xee\x80\x80")); // U+E000, private use
    CHECK_FALSE(is_valid_lock_path("/\xef\xa3\xbf")); // U+F8FF
    CHECK_FALSE(is_valid_lock_path("/\xef\xbf\xb0")); // U+FFF0
    CHECK_FALSE(is_valid_lock_path("/\xef\xbf\xbe")); // U+FFFE
    CHECK_FALSE(is_valid_lock_path("/\xef\xbf\xbf")); // U+FFFF
}

TEST_CASE("characters that Java keeps as surrogates are refused, for the server refuses those") {
    // PathUtils.validatePath looks at UTF-16 units, and refuses U+D800 to U+F8FF.
    CHECK_FALSE(is_valid_lock_path("/\xf0\x9f\x98\x80")); // U+1F600
    CHECK_FALSE(is_valid_lock_path("/\xf0\x90\x80\x80")); // U+10000
    CHECK_FALSE(is_valid_lock_path("/\xf4\x8f\xbf\xbf")); // U+10FFFF
}

TEST_CASE("malformed UTF-8 is refused") {
    const auto path =
        GENERATE(as<std::string>{}, "/\xff", "/\x80", "/\xc3", "/\xc3/", "/\xc3\x28", "/\xe2\x82",
                 "/\xe2\x28\xa1", "/\xc0\xaf", "/\xc1\xbf", "/\xe0\x80\xaf", "/\xf0\x80\x80\xaf",
                 "/\xf4\x90\x80\x80", "/\xf8\x88\x80\x80\x80", "/\xed\xa0\x80", "/\xed\xbf\xbf",
                 "/a\xf0\x9f\x98", "/\xfe\xff");
    CAPTURE(path);
    CHECK_FALSE(is_valid_lock_path(path));
}

TEST_CASE("the server's own folder is no place for locks") {
    CHECK_FALSE(is_valid_lock_path("/zookeeper"));
    CHECK_FALSE(is_valid_lock_path("/zookeeper/quota"));
    CHECK_FALSE(is_valid_lock_path("/zookeeper/quota/x"));
}

TEST_CASE("a lock path is at most 1024 bytes long") {
    CHECK(is_valid_lock_path("/" + std::string(longest_lock_path - 1, 'a')));
    CHECK_FALSE(is_valid_lock_path("/" + std::string(longest_lock_path, 'a')));
    CHECK_FALSE(is_valid_lock_path("/" + std::string(5 * 1024, 'a')));
}

TEST_CASE("a chroot is empty or a path") {
    CHECK(is_valid_chroot(""));
    CHECK(is_valid_chroot("/apps"));
    CHECK(is_valid_chroot("/apps/billing"));
    CHECK_FALSE(is_valid_chroot("/"));
    CHECK_FALSE(is_valid_chroot("/apps/"));
    CHECK_FALSE(is_valid_chroot("apps"));
    CHECK_FALSE(is_valid_chroot("/a/../b"));
    CHECK_FALSE(is_valid_chroot("/zookeeper"));
    CHECK_FALSE(is_valid_chroot("/zookeeper/quota"));
    CHECK(is_valid_chroot("/zookeeperish"));
}

TEST_CASE("the parents of a path come from the root down, without the path itself") {
    using paths = std::vector<std::string>;
    CHECK(parents_of("/a").empty());
    CHECK(parents_of("/a/b") == paths{"/a"});
    CHECK(parents_of("/a/b/c") == paths{"/a", "/a/b"});
}
