// SPDX-License-Identifier: BSL-1.0
#include "subject.hpp"
#include "support/pch.hpp"

#include <turnstile/multi_lock.hpp>
#include <turnstile/mutex.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/shared_mutex.hpp>
#include <turnstile/single_node_mutex.hpp>

namespace turnstile::matrix {
namespace {

using handler = test::lock_user::handler;

/// `start(lock, how, handler)` starts an acquire.
template <class Lock, class Start>
auto with(Start start) {
    return [start](session& own, session& side, const std::string& path,
                   role how) -> test::lock_user::acquirer {
        std::shared_ptr<Lock> lock;
        if constexpr (std::is_constructible_v<Lock, session&, session&, const std::string&>)
            lock = std::make_shared<Lock>(own, side, path);
        else
            lock = std::make_shared<Lock>(own, path);
        return [start, how, lock](handler done) { start(*lock, how, std::move(done)); };
    };
}

constexpr auto plainly = [](auto& lock, role, handler done) { lock.acquire(std::move(done)); };
constexpr auto by_role = [](shared_mutex& lock, role how, handler done) {
    if (how == role::reader)
        lock.shared().acquire(std::move(done));
    else
        lock.acquire(std::move(done));
};

constexpr std::uint32_t all_permits = 2;
struct both_permits : semaphore {
    both_permits(session& owner, const std::string& path) : semaphore(owner, path, all_permits) {}
};
constexpr auto of_all = [](semaphore& lock, role, handler done) {
    lock.permits(all_permits).acquire(std::move(done));
};

/// Named in another order than that of their keys.
struct three_locks {
    three_locks(session& own, session& side, const std::string& path)
        : second(side, path + "/b"),
          all(second, mutex(own, path + "/a"), mutex(own, path + "/c")) {}
    mutex second;
    multi_lock all;
};
constexpr auto all_or_second = [](auto& locks, role how, handler done) {
    if (how == role::part)
        locks.second.acquire(std::move(done));
    else
        locks.all.acquire(std::move(done));
};

constexpr auto to_client = test::direction::to_client;
using about = frame_pattern::about;

} // namespace

std::span<const subject> subjects() {
    // A lock joins the matrix here. One whose frames are others needs steps of its own.
    static const std::array all{
        subject{.name = "mutex",
                .kind = promises::mutex,
                .open = with<mutex>(plainly),
                .steps = steps_of_ticket()},
        subject{.name = "shared_mutex",
                .kind = promises::shared_mutex,
                .open = with<shared_mutex>(by_role),
                .steps = steps_of_downgrade()},
        subject{.name = "shared_mutex_reader",
                .kind = promises::shared_mutex,
                .open = with<shared_mutex>(by_role),
                .steps = steps_of_reader()},
        subject{.name = "shared_mutex_writer",
                .kind = promises::shared_mutex,
                .open = with<shared_mutex>(by_role),
                .steps = steps_of_writer(),
                .looked = {to_client, test::op::get_data, about::shared}},
        subject{.name = "shared_mutex_upgrade",
                .kind = promises::shared_mutex,
                .open = with<shared_mutex>(by_role),
                .steps = steps_of_upgrade()},
        subject{.name = "semaphore",
                .kind = promises::semaphore(all_permits),
                .open = with<both_permits>(of_all),
                .steps = steps_of_semaphore(),
                .folders = {"/queue", "/leases"},
                .lines = {"/queue"},
                .looked = {to_client, test::op::get_children2, about::leases},
                .nodes = all_permits},
        subject{.name = "single_node_mutex",
                .kind = promises::single_node_mutex,
                .open = with<single_node_mutex>(plainly),
                .steps = steps_of_single_node(),
                .lines = {}},
        subject{.name = "multi_lock",
                .kind = promises::multi_lock,
                .open = with<three_locks>(all_or_second),
                .steps = steps_of_several(),
                .folders = {"/a", "/b", "/c"},
                .lines = {"/a", "/b", "/c"},
                .looked = {to_client, test::op::get_data, about::second_ticket},
                .nodes = 3,
                .parts = {"/a", "/b", "/c"}},
        subject{.name = "multi_lock_of_two",
                .kind = promises::multi_lock,
                .open = with<three_locks>(all_or_second),
                .steps = steps_of_two_sessions(),
                .folders = {"/a", "/b", "/c"},
                .lines = {"/a", "/b", "/c"},
                .looked = {to_client, test::op::get_data, about::second_ticket},
                .nodes = 3,
                .parts = {"/a", "/b", "/c"},
                .two_sessions = true},
    };
    return all;
}

} // namespace turnstile::matrix
