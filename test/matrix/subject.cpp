#include "subject.hpp"

#include <turnstile/mutex.hpp>

#include <array>
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

constexpr auto acquire = [](auto& lock, handler done) { lock.acquire(std::move(done)); };

} // namespace

std::span<const subject> subjects() {
    // A lock joins the matrix by its line here. One whose frames are others needs steps of its own.
    static const std::array all{
        subject{.name = "mutex", .kind = promises::mutex, .open = with<mutex>(acquire)},
    };
    return all;
}

} // namespace turnstile::matrix
