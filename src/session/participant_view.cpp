// SPDX-License-Identifier: BSL-1.0
#include "session/participant_view.hpp"

#include <chrono>
#include <utility>

namespace turnstile::detail {

namespace {

participant::knowledge to_knowledge(protocol::line_member::knowledge from) {
    using enum protocol::line_member::knowledge;
    switch (from) {
    case not_asked:
        return participant::knowledge::not_asked;
    case told:
        return participant::knowledge::told;
    case gone:
        return participant::knowledge::gone;
    case refused:
        break;
    }
    return participant::knowledge::denied;
}

} // namespace

participant to_participant(protocol::line_member from) {
    participant result{.node = std::move(from.node),
                       .shared = from.place.kind == protocol::ticket_kind::shared,
                       .holds = from.holds,
                       .foreign = !from.place.ours,
                       .known = to_knowledge(from.known)};
    if (result.known != participant::knowledge::told)
        return result;
    if (from.who && from.place.ours) {
        result.host = std::move(from.who->host);
        result.pid = std::move(from.who->process);
        result.label = std::move(from.who->label);
    }
    result.data = std::move(from.data);
    result.session_id = from.stat.ephemeral_owner;
    result.created =
        std::chrono::system_clock::time_point{std::chrono::milliseconds{from.stat.ctime}};
    return result;
}

path_access to_access(protocol::access_probe::result from) {
    const auto right = [](protocol::access_probe::right which) {
        using enum protocol::access_probe::right;
        return which == allowed  ? path_access::right::allowed
               : which == denied ? path_access::right::denied
                                 : path_access::right::unknown;
    };
    return {.node = std::move(from.node),
            .exists = from.exists,
            .read = right(from.read),
            .create = right(from.create),
            .write = right(from.write),
            .remove = right(from.remove),
            .gives_more = from.gives_more};
}

protocol::ticket_removal removal_of(const std::string& path, const participant& who) {
    using std::chrono::milliseconds;
    const auto since = std::chrono::duration_cast<milliseconds>(who.created.time_since_epoch());
    return {path, {.node = who.node, .session = who.session_id, .ctime = since.count()}};
}

} // namespace turnstile::detail
