// SPDX-License-Identifier: BSL-1.0
#include "session/session_service.hpp"

#include "session/session_impl.hpp"

#include <utility>
#include <vector>

namespace turnstile::detail {

boost::asio::execution_context::id session_service::id;

session_service::session_service(boost::asio::execution_context& context)
    : boost::asio::execution_context::service(context) {}

void session_service::add(session_impl& session) {
    const std::lock_guard guard(mutex_);
    sessions_.insert(&session);
}

void session_service::remove(session_impl& session) {
    const std::lock_guard guard(mutex_);
    sessions_.erase(&session);
}

void session_service::shutdown() {
    // Each is kept alive while it lets go: the handlers that it destroys may be its last owners.
    std::vector<std::shared_ptr<session_impl>> alive;
    {
        const std::lock_guard guard(mutex_);
        for (const auto session : std::exchange(sessions_, {}))
            if (auto owner = session->weak_from_this().lock())
                alive.push_back(std::move(owner));
    }
    for (const auto& session : alive)
        session->on_context_shutdown();
}

} // namespace turnstile::detail
