// SPDX-License-Identifier: BSL-1.0
#include "session/multi_hold.hpp"

#include "session/part_answers.hpp"

#include <algorithm>

namespace turnstile::detail {

const boost::asio::any_io_executor& multi_hold::executor() const {
    return parts_.front()->executor();
}

std::vector<fencing_token> multi_hold::tokens() const {
    std::vector<fencing_token> all;
    for (const auto& part : parts_)
        all.push_back(part->token());
    return all;
}

lease_clock::time_point multi_hold::deadline() const {
    auto first = parts_.front()->deadline();
    for (const auto& part : parts_)
        first = std::min(first, part->deadline());
    return first;
}

bool multi_hold::is_held() const { return std::ranges::all_of(parts_, &lock_state::is_held); }

bool multi_hold::is_at_risk() const { return std::ranges::any_of(parts_, &lock_state::is_at_risk); }

bool multi_hold::is_closed() const { return std::ranges::any_of(parts_, &lock_state::is_closed); }

std::shared_ptr<lock_state> multi_hold::share() {
    parts shared;
    shared.reserve(parts_.size());
    std::vector<held_lock> handles; // release what was shared, should memory run out
    handles.reserve(parts_.size());
    for (const auto& part : parts_) {
        shared.push_back(part->share());
        handles.push_back(own(shared.back()));
    }
    auto whole = std::make_shared<multi_hold>(std::move(shared), grant_);
    for (auto& handle : handles)
        take(handle);
    return whole;
}

std::vector<std::shared_ptr<ticket_lock>> multi_hold::tickets() {
    std::vector<std::shared_ptr<ticket_lock>> all;
    for (const auto& part : parts_)
        all.push_back(part->tickets().front());
    return all;
}

void multi_hold::count_end() noexcept {
    if (ended_.test_and_set())
        return;
    auto& usage = *grant_->usage;
    auto& end = is_held() ? usage.released : is_closed() ? usage.closed : usage.lost;
    if (--grant_->handles > 0)
        return;
    end.add();
    usage.hold.add(histogram_meter::entry(lease_clock::now() - grant_->at));
}

void multi_hold::start(lock_operation what, plain_handler&& done) {
    if (what == lock_operation::downgrade)
        return refuse(std::move(done), error::not_exclusive);
    if (what == lock_operation::upgrade)
        return refuse(std::move(done), error::not_shared);
    if (what != lock_operation::release)
        return part_answers::start(what, parts_, executor(), std::move(done));
    if (!executor()) // the loss cannot be reported, and the parts of other contexts are released
        return release();
    count_end();
    parts reversed;
    for (auto part = grant_->order.rbegin(); part != grant_->order.rend(); ++part)
        reversed.push_back(parts_[*part]);
    part_answers::start(what, reversed, executor(), std::move(done));
}

void multi_hold::release() noexcept {
    count_end();
    for (auto part = grant_->order.rbegin(); part != grant_->order.rend(); ++part)
        parts_[*part]->release();
}

} // namespace turnstile::detail
