#include "subject.hpp"

#include <turnstile/mutex.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/shared_mutex.hpp>
#include <turnstile/single_node_mutex.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace turnstile::matrix {
namespace {

using handler = test::lock_user::handler;

/// `start(lock, handler)` starts an acquire.
template <class Lock, class Start>
auto with(Start start) {
    return [start](session& owner, const std::string& path) -> test::lock_user::acquirer {
        return [start, lock = std::make_shared<Lock>(owner, path)](handler done) {
            start(*lock, std::move(done));
        };
    };
}

constexpr auto plainly = [](auto& lock, handler done) { lock.acquire(std::move(done)); };

constexpr std::uint32_t all_leases = 2;
struct both_leases : semaphore {
    both_leases(session& owner, const std::string& path) : semaphore(owner, path, all_leases) {}
};
constexpr auto of_all = [](semaphore& lock, handler done) {
    lock.acquire(all_leases, std::move(done));
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
                .steps = steps_of_ticket(),
                .folders = {""},
                .line = "",
                .looked = {to_client, test::op::get_data, about::ticket}},
        subject{.name = "shared_mutex",
                .kind = promises::shared_mutex,
                .open = with<shared_mutex>(plainly),
                .steps = steps_of_downgrade(),
                .folders = {""},
                .line = "",
                .looked = {to_client, test::op::get_data, about::ticket}},
        subject{.name = "semaphore",
                .kind = promises::semaphore(all_leases),
                .open = with<both_leases>(of_all),
                .steps = steps_of_semaphore(),
                .folders = {"/queue", "/leases"},
                .line = "/queue",
                .looked = {to_client, test::op::get_children2, about::leases},
                .nodes = all_leases},
        subject{.name = "single_node_mutex",
                .kind = promises::single_node_mutex,
                .open = with<single_node_mutex>(plainly),
                .steps = steps_of_single_node(),
                .folders = {""},
                .line = {},
                .looked = {to_client, test::op::get_data, about::ticket}},
    };
    return all;
}

} // namespace turnstile::matrix
