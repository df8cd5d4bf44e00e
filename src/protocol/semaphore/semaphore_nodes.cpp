// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore_nodes.hpp"

#include "protocol/names/ticket_name.hpp"

#include <algorithm>

namespace turnstile::protocol {

semaphore_nodes semaphore_nodes::of(const std::vector<std::string>& children) {
    semaphore_nodes found;
    for (const auto& child : children) {
        const bool other_kind = child == holder_name || parse_contender(child).has_value();
        found.other_kind |= other_kind;
        if (is_of_semaphore(child))
            found.parts.insert(child);
        else
            found.others |= !other_kind;
    }
    return found;
}

failure semaphore_nodes::obstacle() const {
    if (other_kind || !parts.empty()) // of a semaphore of which a foreign client has deleted a part
        return failure::wrong_kind;
    return others ? failure::nested_path : failure::none;
}

std::vector<transaction_step> steps_to_make(const std::string& path, std::int32_t version,
                                            std::uint32_t limit, bool owned) {
    using enum step_kind;
    const auto below = [&path](std::string_view name) { return path + '/' + std::string(name); };
    std::vector<transaction_step> steps{
        {.what = check, .path = path, .version = version},
        {.what = create, .path = below(limit_name), .data = limit_text(limit)},
        {.what = create, .path = below(queue_name)},
        {.what = create, .path = below(permits_name)}};
    if (owned)
        steps.push_back({.what = check, .path = below(permits_name)});
    return steps;
}

std::size_t failed_step(const reply& answer) {
    const auto failed = std::ranges::find_if(
        answer.results, [](const auto& each) { return each.code != zookeeper_code::ok; });
    return static_cast<std::size_t>(failed - answer.results.begin());
}

failure refusal_of_permits(const reply& answer, bool with_ticket) {
    using enum zookeeper_code;
    const auto step = failed_step(answer);
    switch (answer.code) {
    case bad_version:
        return failure::none;
    case no_node: // the semaphore, or by a foreign client a part of it
        return step == 0 ? failure::none : failure::wrong_kind;
    case no_auth:
        if (step == 0)
            return failure::read_denied;
        if (step == 2 && with_ticket)
            return failure::release_denied;
        return step < 3 ? failure::write_denied : failure::create_denied;
    case node_exists: // the server's counter sticks at its end
        return failure::sequence_exhausted;
    default:
        return failure::server_error;
    }
}

failure denial_of_make(const reply& answer) {
    switch (failed_step(answer)) {
    case 0:
        return failure::read_denied;
    case 4: // behind the creates
        return failure::owner_unknown;
    default:
        return failure::create_denied;
    }
}

} // namespace turnstile::protocol
