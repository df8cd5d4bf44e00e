// SPDX-License-Identifier: BSL-1.0
// What one process tells another of a session.
#include <turnstile/session_key.hpp>

#include "support/pch.hpp"

using namespace turnstile;

namespace {

session_key some_key() {
    session_key key{.servers = "zk1:2181,[::1]:2182/app",
                    .id = std::numeric_limits<std::int64_t>::min() + 0x1f,
                    .timeout = std::chrono::milliseconds(15'000)};
    for (std::size_t i = 0; i < key.password.size(); ++i)
        key.password[i] = static_cast<char>(i * 17);
    return key;
}

const std::string some_text = "servers zk1:2181,[::1]:2182/app\n"
                              "session 800000000000001f\n"
                              "timeout 15000\n"
                              "password 00112233445566778899aabbccddeeff\n";

std::string wrong_with(const std::string& text) {
    std::string wrong;
    CHECK_FALSE(session_key::parse(text, &wrong));
    CHECK_FALSE(session_key::parse(text));
    return wrong;
}

std::string with(std::string_view from, std::string_view to) {
    auto text = some_text;
    return text.replace(text.find(from), from.size(), to);
}

std::string bad(const std::string& setting) {
    return "the setting '" + setting + "' is unknown, or its value is bad";
}

} // namespace

TEST_CASE("a session's key is the same after a way as text") {
    CHECK(some_key().str() == some_text);
    const auto read = session_key::parse(some_text);
    REQUIRE(read);
    CHECK(read->servers == some_key().servers);
    CHECK(read->id == some_key().id);
    CHECK(read->timeout == some_key().timeout);
    CHECK(read->password == some_key().password);
}

TEST_CASE("a session's TLS goes along, by absolute names of files") {
    auto key = some_key();
    key.tls.emplace();
    CHECK(key.str() == some_text + "tls on\n");
    key.tls = {.authorities_file = "/etc/ca.pem",
               .certificate_file = "own.pem",
               .server_name = "zk.example.org"};
    const auto text = some_text + "tls on\n" + "tls-authorities-file /etc/ca.pem\n" +
                      "tls-certificate-file " +
                      (std::filesystem::current_path() / "own.pem").string() +
                      "\ntls-server-name zk.example.org\n";
    CHECK(key.str() == text);
    const auto read = session_key::parse(text);
    REQUIRE(read);
    REQUIRE(read->tls);
    CHECK(read->str() == text);
    CHECK(read->tls->key_file.empty());
    CHECK(wrong_with(some_text + "tls-key-file /etc/key.pem\n") == bad("tls-key-file"));
    CHECK(wrong_with(some_text + "tls off\n") == bad("tls"));
}

TEST_CASE("what is no key of a session is refused, and its password is not repeated") {
    CHECK(wrong_with("") == "servers, session and timeout are needed");
    CHECK(wrong_with("session 1\n") == "servers, session and timeout are needed");
    CHECK(wrong_with(with("zk1:2181,", "zk1:2181,,")) == bad("servers"));
    CHECK(wrong_with(with("session 8", "session 18")) == bad("session"));
    CHECK(wrong_with(with("session 800000000000001f", "session 0")) == bad("session"));
    CHECK(wrong_with(with("15000", "0")) == bad("timeout"));
    CHECK(wrong_with(with("15000", "-1")) == bad("timeout"));
    CHECK(wrong_with(with("15000", "15s")) == bad("timeout"));
    CHECK(wrong_with(with("15000", "99999999999999999999")) == bad("timeout"));
    CHECK(wrong_with(with("eeff", "ee")) == bad("password"));
    CHECK(wrong_with(with("eeff", "ee-f")) == bad("password"));
    CHECK(wrong_with(some_text + "tls.unheard-of x\n") == bad("tls.unheard-of"));
    CHECK(wrong_with(some_text + "\n") == bad(""));
}
