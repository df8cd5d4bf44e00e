// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/permit_listing.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/semaphore/semaphore.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

void permit_listing::look() {
    const bool is_first = owner_.acquires().first() != nullptr;
    const bool sweeps = sweep_ == sweep_state::due;
    if (!(is_first || sweeps) || !context_.requests.connected())
        return;
    if (state_ != listing_state::resting)
        return state_.enter(listing_state::outdated);
    if (!sweeps && !owner_.limit().known())
        return owner_.limit().read(); // with the limit, the semaphore calls look() again
    state_.enter(listing_state::listing);
    if (sweeps)
        sweep_.enter(sweep_state::listing);
    owner_.ask(
        {.op = operation::get_children, .path = owner_.permits_path(), .watch = is_first},
        [this, is_first](const reply& answer) {
            if (is_first && answer.code == zookeeper_code::ok && !std::exchange(watched_, true))
                context_.watches.add(owner_.permits_path(), lock_watcher, watch_kind::children);
            on_listed(answer);
        });
}

void permit_listing::on_listed(const reply& answer) {
    const bool is_old = state_ == listing_state::outdated;
    state_.enter(listing_state::resting);
    if (is_sweeping())
        sweep(answer);
    else if (is_old)
        look();
    else if (owner_.acquires().first())
        owner_.on_permits(answer);
}

void permit_listing::sweep(const reply& answer) {
    if (answer.code == zookeeper_code::no_auth) // no acquire starts before the sweep
        owner_.fail_waiting(failure::read_denied, answer.code);
    if (refused(answer.code)) {
        sweep_.enter(sweep_state::due);
        return owner_.go_on_later();
    }
    sweep_.enter(sweep_state::resting);
    if (!last_sweep_.pending() && !swept_late_)
        last_sweep_.set(context_.now() + lease_plan::late_create(context_.lease.timeout()), [this] {
            swept_late_ = true;
            sweep_.enter(sweep_state::due);
            look();
        });
    permits_by_taker found;
    std::vector<std::string> unknown;
    for (const auto& child : answer.children) {
        const auto name = permit_name::parse(child);
        const auto node = owner_.permit_path(child);
        if (!name || name->session != context_.session_id || owner_.owns(*name, node))
            continue;
        // An acquire never gets back a permit that it tried: there may have been no room.
        if (const auto taker = name->tried ? nullptr : owner_.acquires().taker_in(name->attempt))
            found[taker->id].push_back(node);
        else
            unknown.push_back(node);
    }
    owner_.on_swept(found, unknown);
    look(); // for the first in the queue
}

void permit_listing::on_lost_answer() {
    last_sweep_.cancel();
    swept_late_ = false;
    sweep_.enter(sweep_state::due);
    look();
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
    look(); // the list comes behind all these answers
}

void permit_listing::on_changed() {
    watched_ = false;
    look();
}

void permit_listing::on_disconnected() {
    state_.enter(listing_state::resting);
    if (is_sweeping())
        sweep_.enter(sweep_state::due);
    watched_ = false;
}

void permit_listing::stop() {
    last_sweep_.cancel();
    sweep_.enter(sweep_state::resting);
}

void permit_listing::forget_watch() {
    if (std::exchange(watched_, false))
        context_.watches.remove(owner_.permits_path(), lock_watcher, watch_kind::children);
}

} // namespace turnstile::protocol
