// SPDX-License-Identifier: BSL-1.0
#include "protocol/inspect/ticket_removal.hpp"

#include "protocol/names/ticket_name.hpp"

#include <chrono>

namespace turnstile::protocol {

bool ticket_removal::is_name_reused() const { return who_.node == holder_name; }

bool ticket_removal::is_meant(const node_stat& node) const {
    using std::chrono::milliseconds;
    const auto made = std::chrono::duration_cast<milliseconds>(who_.created.time_since_epoch());
    return node.ephemeral_owner == who_.session_id && milliseconds(node.ctime) == made;
}

request ticket_removal::question() const {
    using enum operation;
    switch (step_) {
    case step::reading_path:
        return {.op = get, .path = path_};
    case step::removing:
        if (!is_name_reused())
            return {.op = remove, .path = node_path()};
        return {.op = transact,
                .path = path_,
                .steps = {{.what = step_kind::check, .path = path_, .version = path_version_},
                          {.what = step_kind::remove, .path = node_path()}}};
    case step::reading_node:
        break;
    }
    return {.op = get, .path = node_path()};
}

void ticket_removal::on_answer(const reply& answer) {
    using enum zookeeper_code;
    // After a bad version another session has got the lock meanwhile: the next reads show that.
    if (outcome_unknown(answer.code) || answer.code == bad_version) {
        step_ = first_step();
        return;
    }
    if (answer.code == no_node)
        return end(failure::none); // the node is gone
    if (step_ == step::removing)
        return on_removed(answer);
    if (answer.code != ok)
        return end(failure_of_read(answer.code), answer.code);
    if (step_ == step::reading_path) {
        path_version_ = answer.stat.version;
        step_ = step::reading_node;
    } else if (is_meant(answer.stat)) {
        step_ = step::removing;
    } else {
        end(failure::none);
    }
}

void ticket_removal::on_removed(const reply& answer) {
    if (answer.code == zookeeper_code::ok)
        return end(failure::none);
    const bool denied = answer.code == zookeeper_code::no_auth;
    end(denied ? failure::release_denied : failure::server_error, answer.code);
}

} // namespace turnstile::protocol
