// SPDX-License-Identifier: BSL-1.0
#include "testing/modelled_timer.hpp"

#include "locks/lease_view.hpp"
#include "testing/ground.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace turnstile::testing::detail {

modelled_timer::modelled_timer(ground& below, const boost::asio::any_io_executor& strand,
                               std::function<void()> due)
    : below_(below.weak_from_this()), strand_(strand), due_(std::move(due)) {}

void modelled_timer::start(lease_clock::time_point at, const std::weak_ptr<void>& owner) {
    const auto which = ++started_;
    const auto below = below_.lock();
    if (!below)
        return;
    work_.emplace(boost::asio::any_io_executor(below->context().get_executor()));
    below->events().at(turnstile::detail::to_instant(at), [this, which, owner] {
        if (owner.expired() || which != started_)
            return;
        boost::asio::post(strand_, [this, which, owner] {
            const auto alive = owner.lock();
            if (!alive || which != started_)
                return;
            work_.reset();
            due_();
        });
    });
    below->wake();
}

void modelled_timer::cancel() noexcept {
    ++started_;
    work_.reset();
}

} // namespace turnstile::testing::detail
