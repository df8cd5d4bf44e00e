// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore_nodes.hpp"

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

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
    if (other_kind)
        return failure::wrong_kind;
    return parts.empty() && others ? failure::nested_path : failure::none;
}

// Whoever else makes something below the path sets the path first, so its version tells.
std::vector<transaction_step> steps_to_make(const std::string& path, std::int32_t version,
                                            std::uint32_t limit, const std::set<std::string>& left,
                                            std::int32_t limit_version, bool owned) {
    using enum step_kind;
    const auto below = [&path](std::string_view name) {
        auto node = path + '/';
        node += name;
        return node;
    };
    std::vector<transaction_step> steps{
        {.what = left.empty() ? check : set, .path = path, .version = version}};
    for (const auto& part : left)
        steps.push_back({.what = remove,
                         .path = below(part),
                         .version = part == limit_name ? limit_version : -1});
    steps.push_back({.what = create, .path = below(limit_name), .data = limit_text(limit)});
    for (const auto part : {queue_name, leases_name})
        steps.push_back({.what = create, .path = below(part)});
    if (owned)
        steps.push_back({.what = check, .path = below(leases_name)});
    return steps;
}

failure denial_of_make(const reply& answer, std::size_t left) {
    const auto denied =
        std::ranges::find(answer.results, zookeeper_code::no_auth, &step_result::code);
    const auto step = static_cast<std::size_t>(denied - answer.results.begin());
    if (step > left + 3) // behind the creates
        return failure::owner_unknown;
    if (step > left)
        return failure::create_denied;
    if (step > 0)
        return failure::release_denied;
    return left > 0 ? failure::write_denied : failure::read_denied;
}

} // namespace turnstile::protocol
