// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/path_lookups.hpp"

#include <utility>
#include <vector>

namespace turnstile::protocol {

struct path_lookups::lookup {
    lookup(path_lookups& owner, inquiry_id the_id, acquire_request asked, instant began)
        : id(the_id),
          since(began),
          what(std::move(asked)),
          directory(
              owner.context_, what.path, [&owner, this] { owner.succeed(id); },
              [&owner, this](failure why, zookeeper_code code) { owner.fail(id, why, code); }),
          deadline(owner.context_.clock) {}

    const inquiry_id id;
    const instant since;
    const acquire_request what;
    lock_directory directory;
    timer deadline;
    bool reported = false; // its end was; requests of its own may still be on their way
};

path_lookups::path_lookups(session_context& shared, found_handler found)
    : context_(shared), found_(std::move(found)) {}

path_lookups::~path_lookups() = default;

void path_lookups::forget_over() { over_.clear(); }

void path_lookups::begin(inquiry_id id, const acquire_request& what, instant since,
                         std::optional<instant> end) {
    auto& added =
        *open_.emplace(id, std::make_unique<lookup>(*this, id, what, since)).first->second;
    if (end)
        added.deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    if (context_.requests.connected())
        added.directory.find();
}

void path_lookups::for_each_waiting(const std::function<void(inquiry_id, instant)>& action) const {
    for (const auto& [id, each] : open_)
        if (!each->reported)
            action(id, each->since);
}

void path_lookups::on_connected() {
    for (const auto& [id, each] : open_)
        if (!each->reported)
            each->directory.find();
}

void path_lookups::on_disconnected() {
    for (auto next = open_.begin(); next != open_.end();) {
        auto& each = *next->second;
        each.directory.on_disconnected();
        if (each.reported) { // its answer was lost, and is not needed
            next = open_.erase(next);
            continue;
        }
        ++next;
    }
}

void path_lookups::end(lookup& which) {
    which.reported = true;
    which.deadline.cancel();
    if (which.directory.is_busy())
        return; // requests of its own are on their way
    over_.push_back(std::move(open_.extract(which.id).mapped()));
}

void path_lookups::fail(inquiry_id id, failure why, zookeeper_code code) {
    const auto found = open_.find(id);
    if (found == open_.end())
        return;
    const bool reported = found->second->reported;
    end(*found->second);
    if (!reported)
        context_.events.on_looked_up(id, why, code, {});
}

void path_lookups::succeed(inquiry_id id) {
    auto& which = *open_.at(id);
    const bool reported = which.reported;
    found_(which.what, which.directory); // also where it was cancelled: it may have been made
    const auto key = which.directory.key();
    end(which);
    if (!reported)
        context_.events.on_looked_up(id, failure::none, zookeeper_code::ok, key);
}

void path_lookups::fail_all(failure why) {
    std::vector<inquiry_id> all;
    for (const auto& [id, each] : open_)
        all.push_back(id);
    for (const auto id : all)
        fail(id, why, zookeeper_code::ok);
}

} // namespace turnstile::protocol
