// SPDX-License-Identifier: BSL-1.0
// Trap 8: the numbers of descriptors are reused at once.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <fcntl.h>
#include <unistd.h>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

// Takes the lowest free numbers for a while, which the C client has just closed.
class squatters {
public:
    void move() {
        for (auto& fd : held_) {
            if (fd >= 0)
                ::close(fd);
            fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        }
    }
    ~squatters() {
        for (const int fd : held_)
            if (fd >= 0)
                ::close(fd);
    }

private:
    std::array<int, 3> held_{-1, -1, -1};
};

} // namespace

TEST_CASE("hundreds of cuts while locks change hands: each operation completes once") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const std::array paths{fresh_path("cuts"), fresh_path("cuts")};
    fixture f;
    auto options = impatient(proxy.address());
    options.shortest_backoff = 1ms;
    options.longest_backoff = 4ms;
    session one{f.context, options};
    session two{f.context, options};
    connect(f, one);
    connect(f, two);
    std::array<journal, 2> books;
    std::vector<std::unique_ptr<contender>> users;
    for (std::size_t i = 0; i < 12; ++i) {
        users.push_back(
            std::make_unique<contender>(i % 3 == 0 ? two : one, paths[i % 2], &books[i % 2]));
        users.back()->release_when_granted = true;
        if (i % 3 == 0) // so that another's grant meanwhile would be seen
            users.back()->hold_for = 1ms;
    }
    squatters numbers;
    const auto again = [&] {
        for (const auto& user : users)
            if (user->started == user->completed)
                user->acquire();
    };
    int total = 0;
    for (int cut = 0; cut < 300; ++cut) {
        again();
        // Some cuts in the middle of a handshake, some after much was done.
        const auto enough = total + cut % 7;
        f.run_until(
            [&] {
                total = 0;
                for (const auto& user : users)
                    total += user->grants;
                again();
                numbers.move();
                return total >= enough;
            },
            60s);
        proxy.cut_all();
    }
    f.run_until([&] {
        return std::ranges::all_of(users, [](const auto& c) { return c->started == c->completed; });
    });
    for (const auto& user : users)
        CHECK_FALSE(user->failed());
    for (const auto& book : books) {
        CHECK(book.grants.size() > 50);
        CHECK(book.violations() == journal::no_violations);
    }
    for (const auto& path : paths)
        await_children(f, eyes, path, 0);
}
