// SPDX-License-Identifier: BSL-1.0
// Trap 5: transactions on a handle whose session has expired crash inside the C client.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("transactions around the instant of an expiry end well, and only once") {
    session_book seen;
    frame_proxy proxy{"127.0.0.1", shared_server().port(), &seen};
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    std::vector<std::unique_ptr<contender>> users;
    for (int i = 0; i < 8; ++i)
        users.push_back(std::make_unique<contender>(s, fresh_path("expired")));
    for (int round = 0; round < 10; ++round) {
        for (const auto& user : users)
            user->acquire();
        f.run_until(
            [&] { return std::ranges::all_of(users, [](const auto& c) { return c->holds(); }); });
        const auto id = s.id();
        expire(seen, shared_server().address(), s);
        // The connection is dead, and the library does not know: releases go out on it first.
        for (std::size_t i = 0; i < users.size(); i += 2)
            users[i]->release();
        f.run_until([&] { return s.id() != id && s.state() == session_state::connected; });
        for (std::size_t i = 1; i < users.size(); i += 2)
            users[i]->release();
        f.run_until([&] {
            return std::ranges::all_of(users,
                                       [](const auto& c) { return c->release_result.has_value(); });
        });
        for (std::size_t i = 0; i < users.size(); ++i) {
            const auto result = *users[i]->release_result;
            INFO("release " << i << ": " << result.message());
            if (i % 2 == 1)
                CHECK(result == condition::lock_lost);
            else // gone with the session: nothing is left of the lock either way
                CHECK((!result || result == condition::lock_lost));
            CHECK(users[i]->started == users[i]->completed);
            CHECK(eyes.count(users[i]->where.path()) == 0);
        }
    }
}
