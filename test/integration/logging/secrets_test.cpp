// SPDX-License-Identifier: BSL-1.0
// What never gets into a message of any level: identities, the guard that a session draws, and the
// password of its session. All of them are learned from the wire.
#include "integration/support/access_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"

#include <cstdio>

namespace {

const std::string keeper = "keeper:open-sesame-4711";
const std::string well_known = "turnstile:turnstile";

std::string in_hex(const std::array<char, 16>& bytes, const char* digit) {
    std::string text;
    for (const char each : bytes) {
        std::array<char, 4> two{};
        std::snprintf(two.data(), two.size(), digit, static_cast<unsigned char>(each));
        text += two.data();
    }
    return text;
}

acl keepers_only() { return acl::list({acl_entry::digest(keeper, permission::all)}); }

// A keeper's session that says all there is to say.
class overheard {
public:
    explicit overheard(const acl& rules, std::vector<identity> more = {})
        : s(f.context, options(rules, std::move(more))) {}

    [[nodiscard]] std::string guard() const {
        const auto all = seen.identities();
        const auto found = std::ranges::find_if(
            all, [](const auto& who) { return who.starts_with("turnstile:"); });
        return found == all.end() ? "" : *found;
    }
    /// Cuts the connection, and waits for the next one.
    void cut() {
        const auto before = proxy.stats().connections;
        proxy.cut_all();
        f.run_until([&] {
            return proxy.stats().connections > before && s.state() == session_state::connected;
        });
    }
    void check_that_no_secret_was_told() const {
        CHECK(told.mentions("ZOO_DEBUG@")); // the C client's own lines
        CHECK(told.mentions("ZOO_INFO@"));
        REQUIRE_FALSE(seen.identities().empty());
        REQUIRE_FALSE(seen.newest(1).empty());
        for (const auto& secret : secrets())
            CHECK_FALSE(told.mentions(secret));
    }

    session_book seen;
    frame_proxy proxy{"127.0.0.1", shared_server().port(), &seen};
    log_record told;
    fixture f;
    session s;

private:
    session_options options(const acl& rules, std::vector<identity> more) {
        auto result = impatient(proxy.address());
        result.identities = {{"digest", keeper}};
        std::ranges::move(more, std::back_inserter(result.identities));
        result.acl = rules;
        result.log = {.level = log_level::debug, .sink = told.sink()};
        return result;
    }
    [[nodiscard]] std::vector<std::string> secrets() const {
        std::vector<std::string> all;
        for (const auto& who : seen.identities()) {
            all.push_back(who);
            if (who != well_known) // whose password is in every second word
                all.push_back(who.substr(who.find(':') + 1));
        }
        for (const auto& [id, password] : seen.newest(9)) {
            all.emplace_back(password.begin(), password.end());
            all.push_back(in_hex(password, "%02x"));
            all.push_back(in_hex(password, "%02X"));
        }
        return all;
    }
};

} // namespace

TEST_CASE("no message of any level carries a secret, through a reconnect and until the end") {
    const auto rules = GENERATE(values({acl::open(), acl::creator_all(), keepers_only()}));
    overheard o{rules};
    const auto path = fresh_root();
    mutex lock{o.s, path};
    auto held = acquire_now(o.f, lock);
    probe next;
    lock.acquire(next.make());
    o.cut(); // the session is taken up again by its password
    release_now(o.f, held);
    o.f.run_until([&] { return next.done(); });
    release_now(o.f, next.lock());
    CHECK(result_of(o.f, [&](auto t) { o.s.close(std::move(t)); }) == error_code{});
    CHECK(std::ranges::count(o.seen.identities(), keeper) >= 2); // once on each connection
    if (rules.directories == acl::rule::open)
        CHECK(o.guard() == well_known);
    else
        CHECK(o.guard().size() == std::string_view{"turnstile:"}.size() + 32);
    o.check_that_no_secret_was_told();
}

TEST_CASE("no message carries a secret where an identity is refused") {
    overheard o{acl::creator_all(), {{"nosuchscheme", "hush-hush-2718"}}};
    CHECK(result_of(o.f, [&](auto t) { o.s.connect(std::move(t)); }) == error::auth_failed);
    CHECK(std::ranges::count(o.seen.identities(), "hush-hush-2718") >= 1);
    o.check_that_no_secret_was_told();
}

TEST_CASE("no message carries a secret where an acquire or a release is denied") {
    constexpr int read_write = 1 | 2;
    constexpr int create = 4;
    const auto rules = GENERATE(values({acl::creator_all(), keepers_only()}));
    overheard o{rules};
    mutex locked{o.s, path_for_anyone(read_write)};
    CHECK(result_of(o.f, [&](auto t) { locked.acquire(std::move(t)); }) == error::create_denied);
    mutex sticky{o.s, path_for_anyone(read_write | create)};
    auto held = acquire_now(o.f, sticky);
    CHECK(result_of(o.f, [&](auto t) { held.release(std::move(t)); }) == error::release_denied);
    CHECK(o.told.mentions("DELETE is denied"));
    o.check_that_no_secret_was_told();
}

TEST_CASE("no message carries a secret of a session that expires, nor of the next one") {
    const auto rules = GENERATE(values({acl::creator_all(), keepers_only()}));
    overheard o{rules};
    const auto path = fresh_root();
    mutex lock{o.s, path};
    const auto held = acquire_now(o.f, lock);
    const auto first = o.s.id();
    expire(o.seen, shared_server().address(), o.s);
    o.f.run_until([&] { return !held.is_held() && o.s.state() == session_state::connected; });
    REQUIRE(o.s.id() != first);
    auto again = acquire_now(o.f, lock);
    release_now(o.f, again);
    CHECK(o.seen.newest(9).size() == 2);
    o.check_that_no_secret_was_told();
}
