// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/permit_sweep.hpp"

#include "protocol/semaphore/semaphore.hpp"

namespace turnstile::protocol {

void permit_sweep::put_on_next_connection() {
    last_.cancel();
    is_last_ = false;
    state_.enter(is_listing() ? sweep_state::outdated : sweep_state::due);
}

void permit_sweep::start_anew() {
    put_on_next_connection();
    go_on();
}

void permit_sweep::go_on() {
    if (state_ != sweep_state::due || !context_.requests.connected())
        return;
    state_.enter(sweep_state::listing);
    owner_.ask({.op = operation::get_children, .path = owner_.permits_path()},
               [this](const reply& answer) { on_listed(answer); });
}

void permit_sweep::on_listed(const reply& answer) {
    const bool is_old = state_ == sweep_state::outdated;
    state_.enter(sweep_state::due);
    if (answer.code == zookeeper_code::no_auth) // those that wait for this listing wait no longer
        owner_.fail_waiting(failure::read_denied, answer.code);
    if (refused(answer.code))
        return owner_.go_on_later();
    if (is_old)
        return go_on();
    state_.enter(sweep_state::resting);
    if (!last_.pending() && !is_last_)
        last_.set(context_.now() + lease_plan::late_create(context_.lease.timeout()), [this] {
            is_last_ = true;
            state_.enter(sweep_state::due);
            go_on();
        });
    permits_by_taker found;
    std::vector<std::string> unknown;
    for (const auto& child : answer.children) {
        const auto name = permit_name::parse(child);
        if (!name || name->session != context_.session_id || owner_.owns(*name, child))
            continue;
        // A permit that was tried is never adopted: there may have been no room.
        if (const auto taker = name->tried ? nullptr : owner_.acquires().taker_in(name->attempt))
            found[taker->id].push_back(child);
        else
            unknown.push_back(child);
    }
    owner_.on_swept(found, unknown);
}

void permit_sweep::on_disconnected() {
    if (is_listing())
        state_.enter(sweep_state::due);
}

void permit_sweep::stop() {
    last_.cancel();
    state_.enter(sweep_state::resting);
}

} // namespace turnstile::protocol
