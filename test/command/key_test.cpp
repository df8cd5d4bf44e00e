// SPDX-License-Identifier: BSL-1.0
// --key, and what servers say of its names.
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <turnstile/lock_name.hpp>

using namespace turnstile::test;
using turnstile::lock_name;

TEST_CASE("the option --key locks the path that lock_name makes, for every command") {
    const auto path = fresh_path("key");
    const std::string key = "a/b c";
    const auto whole = path + '/' + lock_name(key);
    tool holder{{"run", path, "--key", key, "--", "sh", "-c",
                 "echo pid $$; echo $TURNSTILE_LOCK; exec sleep 1000"}};
    holder.number_after("pid ");
    await([&] { return holder.output().find('\n' + whole + '\n') != std::string::npos; });
    CHECK(tickets(whole).size() == 1);
    tool other{{"run", "--no-wait", whole, "--", "true"}};
    CHECK(other.exit_code() == 122);
    tool another{{"run", "--no-wait", "--key", "a", path, "--", "true"}};
    CHECK(another.exit_code() == 0);
    tool show{{"show", path, "--key", key}};
    CHECK(show.exit_code() == 0);
    CHECK(show.output().starts_with(whole + ": held by 1"));
    tool broken{{"break", "--yes", path, "--key", key}};
    CHECK(broken.exit_code() == 0);
    CHECK(holder.exit_code() == 123);
    tool limit{{"limit", path, "--key", "pool", "3"}};
    CHECK(limit.exit_code() == 0);
    CHECK(limit.output() == path + "/pool: at most 3 at a time\n");
}

TEST_CASE("the option --key works at the root, and takes any text") {
    tool root{{"show", "/", "--key", "zookeeper"}};
    CHECK(root.exit_code() == 0);
    CHECK(root.output().starts_with("/%7Aookeeper: "));
    for (const std::string key : {"", "--", "-x", "--key=", "a=", "{}", "[a,b]"}) {
        CAPTURE(key);
        tool one{{"run", "--key=" + key, "/keys", "--", "sh", "-c", "echo $TURNSTILE_LOCK"}};
        CHECK(one.exit_code() == 0);
        CHECK(one.output() == "/keys/" + lock_name(key) + '\n');
    }
    tool empty{{"show", "--key", "", "/keys"}};
    CHECK(empty.exit_code() == 0);
    CHECK(empty.output().starts_with("/keys/%empty: "));
}

TEST_CASE("a server takes the name of each byte and of long keys") {
    foreign_client client{shared_server().address()};
    const auto takes = [&](const std::string& key) {
        const auto path = '/' + lock_name(key);
        CAPTURE(path);
        CHECK(client.create(path) == 0);
        CHECK(client.remove(path) == 0);
    };
    for (int byte = 0; byte < 256; ++byte)
        takes(std::string(1, static_cast<char>(byte)));
    for (const std::string key : {"", "..", "zookeeper"})
        takes(key);
    takes(std::string(100'000, '\xff'));
}
