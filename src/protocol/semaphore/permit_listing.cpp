// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/permit_listing.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/semaphore/semaphore.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

void permit_listing::look() {
    using enum listing_state;
    if (!owner_.acquires().first() || !context_.requests.connected())
        return;
    if (!owner_.limit().known())
        return owner_.limit().read(); // the owner looks when it is there
    if (state_ != resting)
        return state_.enter(outdated);
    state_.enter(listing);
    owner_.ask({.op = operation::get_children, .path = owner_.permits_path(), .watch = true},
               [this](const reply& answer) {
                   const bool is_old = state_ == outdated;
                   state_.enter(resting);
                   if (answer.code == zookeeper_code::ok && !std::exchange(watched_, true))
                       context_.watches.add(owner_.permits_path(), semaphore::watcher,
                                            watch_kind::children);
                   if (is_old)
                       look();
                   else if (owner_.acquires().first())
                       owner_.on_permits(answer);
               });
}

void permit_listing::look_again() {
    if (!watched_)
        return;
    forget_watch();
    look();
}

std::int64_t permit_listing::count(const std::vector<std::string>& children,
                                   std::int32_t bound) const {
    return std::ranges::count_if(children, [&](const std::string& child) {
        const auto name = permit_name::parse(child);
        return name && !strays_.contains(child) && (!name->tried || name->sequence < bound);
    });
}

void permit_listing::put_strays_off() {
    strays_due_ = context_.now() + lease_plan::asked_again(context_.lease.timeout());
}

void permit_listing::look_for_strays(const std::vector<std::string>& children) {
    put_strays_off();
    for (const auto& child : children)
        if (permit_name::parse(child) && !strays_.contains(child))
            owner_.send({.op = operation::exists, .path = owner_.permit_path(child)},
                        [this, child](const reply& answer) {
                            if (answer.code == zookeeper_code::ok &&
                                answer.stat.ephemeral_owner == 0)
                                strays_.insert(child);
                        });
    look(); // answered behind all of these
}

void permit_listing::on_changed() {
    watched_ = false;
    look();
}

void permit_listing::on_disconnected() {
    state_.enter(listing_state::resting);
    watched_ = false;
}

void permit_listing::forget_watch() {
    if (std::exchange(watched_, false))
        context_.watches.remove(owner_.permits_path(), semaphore::watcher, watch_kind::children);
}

} // namespace turnstile::protocol
