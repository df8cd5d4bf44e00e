// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/unreachable_timeout.hpp"

#include "protocol/session/overdue.hpp"

#include <utility>

namespace turnstile::protocol {

void unreachable_timeout::watch() {
    if (context_.requests.connected() || waiting_.none() || due_.pending())
        return;
    due_.set(context_.now() + context_.options.unreachable_limit, [this] { end(); });
}

void unreachable_timeout::end() {
    overdue waits{.now = context_.now()};
    waiting_.for_each([&](watcher_id id, instant since) {
        waits.add(id, since + context_.options.unreachable_limit);
    });
    if (waits.next)
        due_.set(*waits.next, [this] { end(); });
    waiting_.cancel(std::move(waits.ids), failure::unreachable);
}

} // namespace turnstile::protocol
