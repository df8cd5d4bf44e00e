// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/path_lookups.hpp"

namespace turnstile::protocol {

path_lookups::lookup::lookup(path_lookups& owner, inquiry_id id, acquire_request asked,
                             instant began)
    : since(began),
      what(std::move(asked)),
      directory(
          owner.context_, what.path, [&owner, id] { owner.succeed(id); },
          [&owner, id](failure why, zookeeper_code code) { owner.fail(id, why, code); }),
      deadline(owner.context_.clock) {}

void path_lookups::begin(inquiry_id id, const acquire_request& what, instant since,
                         std::optional<instant> end) {
    auto& added = open_.try_emplace(id, *this, id, what, since).first->second;
    if (end)
        added.deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    added.directory.find();
}

void path_lookups::forget_over() {
    std::erase_if(open_, [](const auto& each) {
        return each.second.reported && !each.second.directory.is_busy();
    });
}

void path_lookups::for_each_waiting(const std::function<void(inquiry_id, instant)>& action) const {
    for (const auto& [id, each] : open_)
        if (!each.reported)
            action(id, each.since);
}

void path_lookups::on_connected() {
    for (auto& [id, each] : open_)
        each.directory.find();
}

void path_lookups::on_disconnected() {
    for (auto& [id, each] : open_)
        each.directory.on_disconnected();
}

void path_lookups::fail(inquiry_id id, failure why, zookeeper_code code) {
    const auto found = open_.find(id);
    if (found == open_.end() || std::exchange(found->second.reported, true))
        return;
    found->second.deadline.cancel();
    ended_(id, why, code, {});
}

void path_lookups::succeed(inquiry_id id) {
    auto& which = open_.at(id);
    found_(which.what, which.directory); // also if it was cancelled: the path may have been made
    which.deadline.cancel();
    if (!std::exchange(which.reported, true))
        ended_(id, failure::none, zookeeper_code::ok, which.directory.key());
}

void path_lookups::fail_all(failure why) {
    for (const auto& [id, each] : open_)
        fail(id, why, zookeeper_code::ok);
}

} // namespace turnstile::protocol
