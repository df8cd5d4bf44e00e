// SPDX-License-Identifier: BSL-1.0
// Another user's registrations, whatever they are, end no session and hold no hand-over up.
#include "command/support/guarded.hpp"
#include "command/support/tool.hpp"
#include "support/certificates.hpp"
#include "support/file_text.hpp"
#include "support/foreign_client.hpp"
#include "support/guard_client.hpp"
#include "support/hostile_user.hpp"
#include "support/pch.hpp"
#include "support/zookeeper_server.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

struct victim {
    explicit victim(const guard_place& place) : holder(place, path) {
        holder.await_word("held");
        holder.await_registered();
    }
    /// Milliseconds until its lock was free.
    auto hand_over() {
        const auto begun = std::chrono::steady_clock::now();
        holder.process().kill_and_wait();
        await([&] { return tickets(path).empty(); }, at_once);
        return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                            begun)
            .count();
    }

    const std::string path = fresh_path("attacked");
    guarded_holder holder;
};

/// A guard at which each user of the host may register.
struct open_guard : guard_place, running_guard {
    open_guard()
        : running_guard{[this]() -> const guard_place& {
                            std::filesystem::permissions(
                                std::filesystem::path(socket()).parent_path(),
                                std::filesystem::perms(0755));
                            return *this;
                        }(),
                        {"--mode", "0666"}} {}
};

/// A server with TLS and such a guard. Of `stranger` there is a certificate that nobody trusts.
struct secure_place {
    explicit secure_place(const char* client_auth) : server(with_tls(files, client_auth)) {
        files.issue({.name = "stranger", .authority = "other"});
    }
    /// Of the attacked.
    guarded_holder::options credentials() const {
        return {.servers = server.secure_address(),
                .tls = {files.file("ca"), files.file("client"), files.file("client", ".key")}};
    }
    static zookeeper_server_options with_tls(const certificates& files, const char* client_auth) {
        zookeeper_server_options how;
        make_secure(how, files, client_auth);
        how.max_session_timeout_ms = 40'000;
        return how;
    }

    const certificates files{};
    zookeeper_server server;
    open_guard guard{};
    const std::string path = fresh_path("attacked");
};

void check_attack(const attack& how) {
    INFO(how.name);
    open_guard guard;
    const guard_place& place = guard;
    victim attacked{place};
    victim other{place};
    const auto calm = victim{place}.hand_over();
    const prey whom{.socket = place.socket(),
                    .servers = shared_server().address(),
                    .session = session_of(attacked.path),
                    .process = attacked.holder.process().pid()};
    if (how.guard_frozen)
        guard.freeze();
    const hostile_user attacker{how, whom};
    guard.thaw();
    const auto during = other.hand_over();
    if (std::string_view(how.name).find("session of another") != std::string_view::npos &&
        std::string_view(how.name).ends_with("dies"))
        guard.await_word("session 0x777777 is ended"); // it has seen that process end
    CHECK(tickets(attacked.path).size() == 1);
    CHECK(attacked.holder.count("lost") == 0);
    const victim late{place}; // may still register
    const auto last = attacked.hand_over();
    std::cout << "attack: {\"registers\": \"" << how.name << "\", \"calm_ms\": " << calm
              << ", \"hand_over_ms\": " << during << ", \"of_the_attacked_ms\": " << last << "}\n";
}

/// Registers the sessions that a server is about to make, as far as that is known: with a
/// certificate that the server does not take, or with none.
attack guesses(bool shows_certificate, const certificates& files) {
    std::vector<int> shown;
    static std::list<unique_fd> memory;
    if (shows_certificate)
        for (const char* const end : {".pem", ".key"})
            shown.push_back(
                memory.emplace_back(sealed_memory(file_text(files.file("stranger", end)))).get());
    return {.name = "the sessions that come next", .work = [shown](const prey& whom) {
                static std::list<guard_client> all;
                const auto own = descriptor_of(::getpid());
                std::vector<int> sent{own.get()};
                sent.insert(sent.end(), shown.begin(), shown.end());
                for (int i = 1; i <= 20; ++i) {
                    auto& client = all.emplace_back(whom.socket);
                    client.send(shown.empty() ? registration_of(whom.session + i, whom.servers,
                                                                "process", 500)
                                              : registration_of(whom.session + i, whom.servers,
                                                                "process certificate key", 500) +
                                                    "tls on\n",
                                sent);
                    if (client.answer() != "ok")
                        ::_exit(1);
                }
            }};
}

bool can_be_another_user() {
    if (::geteuid() == 0)
        return true;
    WARN("only root can be another user");
    return false;
}

} // namespace

TEST_CASE("what another user registers ends no session and delays no hand-over") {
    if (!can_be_another_user())
        return;
    for (const auto& each : attacks())
        if (each.in_each_run)
            check_attack(each);
}

TEST_CASE("a guess at a session takes nothing from it where servers ask for certificates") {
    if (!can_be_another_user())
        return;
    secure_place place{"need"};
    foreign_client eyes{place.server.address()};
    const auto is_free = [&] {
        std::vector<std::string> names;
        REQUIRE(foreign_client{place.server.address()}.children(place.path, &names) == 0);
        return names.empty();
    };
    const bool shows_certificate = GENERATE(false, true);
    CAPTURE(shows_certificate);
    std::optional<hostile_user> attacker{std::in_place, guesses(shows_certificate, place.files),
                                         prey{.socket = place.guard.socket(),
                                              .servers = place.server.secure_address(),
                                              .session = eyes.session_id()}};
    guarded_holder victim{place.guard, place.path, place.credentials()};
    victim.await_word("held");
    victim.await_registered();
    SECTION("while the other one dies") {
        attacker.reset();
        std::ostringstream id;
        id << "session 0x" << std::hex << eyes.session_id() + 1 << " could not be ended";
        place.guard.await_word(id.str());
        CHECK_FALSE(is_free());
        CHECK(victim.count("lost") == 0);
    }
    SECTION("while the other one lives") {}
    victim.process().kill_and_wait();
    await(is_free, at_once);
}

TEST_CASE("what a second user registers ends no session, whatever certificate it has") {
    if (!can_be_another_user())
        return;
    secure_place place{"none"};
    guarded_holder victim{place.guard, place.path, place.credentials()};
    victim.await_word("held");
    victim.await_registered();
    foreign_client eyes{place.server.address()};
    std::vector<std::string> names;
    REQUIRE(eyes.children(place.path, &names) == 0);
    REQUIRE(names.size() == 1);
    node_info ticket;
    REQUIRE(eyes.exists(place.path + '/' + names.front(), &ticket) == 0);
    std::vector<unique_fd> shown;
    for (const auto& file : {place.files.file("ca"), place.files.file("stranger"),
                             place.files.file("stranger", ".key")})
        shown.push_back(sealed_memory(file_text(file)));
    std::optional<hostile_user> attacker{
        std::in_place,
        attack{.name = "the session of another with a certificate of its own",
               .work =
                   [&](const prey& whom) {
                       static std::list<guard_client> all;
                       const auto own = descriptor_of(::getpid());
                       auto& client = all.emplace_back(whom.socket);
                       client.send(registration_of(whom.session, whom.servers,
                                                   "process authorities certificate key", 2'000) +
                                       "tls on\n",
                                   {own.get(), shown[0].get(), shown[1].get(), shown[2].get()});
                       if (client.answer() != "ok")
                           ::_exit(1);
                   }},
        prey{.socket = place.guard.socket(),
             .servers = place.server.secure_address(),
             .session = ticket.ephemeral_owner}};
    attacker.reset();
    std::ostringstream id;
    id << "session 0x" << std::hex << ticket.ephemeral_owner;
    place.guard.await_word(id.str());
    CHECK(place.guard.says(id.str() + " could not be ended"));
    CHECK(victim.count("lost") == 0);
    REQUIRE(eyes.children(place.path, &names) == 0);
    CHECK(names.size() == 1);
    victim.process().kill_and_wait();
    await([&] { return eyes.children(place.path, &names) == 0 && names.empty(); }, at_once);
}

TEST_CASE("/proc/locks tells nobody the ids of sessions that a guard knows") {
    const guard_place place;
    running_guard guard{place};
    constexpr std::int64_t session = 0x123'4567'89ab'cdef;
    const auto own = descriptor_of(::getpid());
    guard_client client{place.socket()};
    client.send(registration_of(session, "127.0.0.1:1"), {own.get()});
    REQUIRE(client.answer() == "ok");
    const auto user = guard.user();
    std::ifstream in{"/proc/locks"};
    int found = 0;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words{line};
        std::string number, kind, how, access, process;
        words >> number >> kind >> how >> access >> process;
        found += process == std::to_string(user) ? 1 : 0;
        CHECK(line.find(std::to_string(session)) == std::string::npos);
    }
    CHECK(found == 1);
}

TEST_CASE("a user with many subordinate ids leaves the guard room for others") {
    if (!can_be_another_user())
        return;
    open_guard guard;
    const auto own = descriptor_of(::getpid());
    std::list<guard_client> all;
    int taken = 0;
    for (uid_t id = 100'000; id < 165'536; id += 200) { // 328 of them
        REQUIRE(::seteuid(id) == 0);
        auto& client = all.emplace_back(guard.socket());
        REQUIRE(::seteuid(0) == 0);
        client.try_send(registration(shared_server().address(), static_cast<int>(id)), {own.get()});
        taken += client.answer() == "ok" ? 1 : 0;
    }
    CHECK(taken > 0);
    const auto path = fresh_path("attacked");
    guarded_holder other{guard, path};
    other.await_word("held");
    other.await_registered();
    other.process().kill_and_wait();
    await([&] { return tickets(path).empty(); }, at_once);
}

TEST_CASE("connections to a user's process that hangs leave the guard room for others") {
    if (!can_be_another_user())
        return;
    const guard_place place;
    user_guard guard{place, "ulimit -n 200"};
    const auto own = descriptor_of(::getpid());
    std::list<guard_client> all;
    const auto connect = [&]() -> guard_client& {
        REQUIRE(::seteuid(65'534) == 0);
        auto& client = all.emplace_back(place.socket());
        REQUIRE(::seteuid(0) == 0);
        return client;
    };
    auto& first = connect();
    first.send(registration(shared_server().address()), {own.get()});
    REQUIRE(first.answer() == "ok");
    guard.freeze();
    guard.process().thaw(); // all but that user's process
    for (int i = 0; i < 300; ++i)
        (void)connect();
    const auto path = fresh_path("attacked");
    guarded_holder other{place, path};
    other.await_word("held");
    other.await_registered();
    other.process().kill_and_wait();
    await([&] { return tickets(path).empty(); }, at_once);
    guard.thaw();
}

TEST_CASE("a user whose connections cannot be closed is shut out, and let in again") {
    if (!can_be_another_user())
        return;
    const guard_place place;
    std::filesystem::permissions(std::filesystem::path(place.socket()).parent_path(),
                                 std::filesystem::perms(0755));
    const temp_folder folder{"turnstile-ends-"};
    const auto no_ends = folder.path() / "none";
    running_guard guard{place, {"--mode", "0666"}, {.before = without_ends(no_ends)}};
    const auto as_other = [](const auto& work) {
        REQUIRE(::seteuid(65'534) == 0);
        auto result = work();
        REQUIRE(::seteuid(0) == 0);
        return result;
    };
    const auto may_connect = [&] {
        return as_other(
            [&] { return ::faccessat(AT_FDCWD, place.socket().c_str(), W_OK, AT_EACCESS) == 0; });
    };
    std::ofstream{no_ends} << "\n";
    await([&] {
        if (!may_connect())
            return true;
        (void)as_other([&] { return guard_client{place.socket()}; });
        return false;
    });
    guard.await_word("may not connect for now");
    const auto path = fresh_path("attacked");
    guarded_holder other{place, path};
    other.await_word("held");
    other.await_registered();
    check_hand_over(other, path);
    std::filesystem::remove(no_ends);
    await(may_connect);
    auto again = as_other([&] { return guard_client{place.socket()}; });
    again.send(registration(shared_server().address()), {descriptor_of(::getpid()).get()});
    CHECK(again.answer() == "ok");
}

TEST_CASE("each attack of another user on a guard", "[.][soak]") {
    for (const auto& each : attacks())
        check_attack(each);
}
