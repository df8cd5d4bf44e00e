#include "small_lock.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace turnstile::test {

using promises::stage;
using protocol::ticket_id;

namespace {

// The acquire that a ticket's data names.
ticket_id acquire_of(std::string_view data) {
    auto request = protocol::request_of(data);
    request.remove_prefix(request.rfind('-') + 1);
    ticket_id id = 0;
    std::from_chars(request.data(), request.data() + request.size(), id);
    return id;
}

struct standing_ticket {
    ticket_id id = 0;
    bool reads = false;
};

// By number. Of an acquire with several tickets the last one counts: earlier ones are strays.
std::map<std::int32_t, standing_ticket> line_in(const model_tree& tree, const std::string& folder) {
    std::map<std::int32_t, standing_ticket> line;
    for (const auto& child : tree.children(folder)) {
        const auto name = protocol::ticket_name::parse(child);
        const auto node = tree.read({.op = protocol::operation::get, .path = folder + '/' + child});
        line[name->sequence] = {.id = acquire_of(node.data),
                                .reads = name->kind == protocol::ticket_kind::shared};
    }
    return line;
}

const std::string only_path = "/a";
const std::string other_path = "/b";

std::string below_path(std::string_view name) {
    return std::string(only_path).append(1, '/').append(name);
}

} // namespace

std::vector<std::string> small_lock::paths() const {
    if (limits_.kind == small_kind::multi)
        return {other_path, only_path};
    return {only_path};
}

promises::lock_kind small_lock::kind() const {
    switch (limits_.kind) {
    case small_kind::single_node:
        return promises::single_node_mutex;
    case small_kind::semaphore:
        return promises::semaphore(limits_.leases);
    default:
        return promises::shared_mutex; // a mutex is its writer
    }
}

void small_lock::prepare(small_server& server) const {
    if (limits_.kind == small_kind::multi)
        for (const auto& path : paths())
            server.prepare({.op = protocol::operation::create_container, .path = path});
    if (limits_.kind != small_kind::semaphore || limits_.makes_semaphore)
        return;
    using enum protocol::step_kind;
    server.prepare({.op = protocol::operation::create_container, .path = only_path});
    server.prepare({.op = protocol::operation::transact,
                    .path = only_path,
                    .steps = {{.what = create,
                               .path = below_path(protocol::limit_name),
                               .data = protocol::limit_text(limits_.leases)},
                              {.what = create, .path = below_path(protocol::queue_name)},
                              {.what = create, .path = below_path(protocol::leases_name)}}});
}

protocol::ticket_kind small_lock::kind_of(ticket_id id) const {
    return limits_.readers && sort_of(id) != 0 ? protocol::ticket_kind::shared
                                               : protocol::ticket_kind::exclusive;
}

std::uint32_t small_lock::leases_of(ticket_id id) const {
    if (limits_.kind != small_kind::semaphore)
        return 0;
    return sort_of(id) != 0 ? 2 : 1;
}

bool small_lock::takes_all(ticket_id id) const {
    return limits_.kind == small_kind::multi && sort_of(id) == 0;
}

std::vector<protocol::acquire_request> small_lock::parts_for(std::size_t client) const {
    std::vector<protocol::acquire_request> parts;
    for (const auto& path : paths())
        parts.push_back({.path = path, .limit = {}});
    if (client > 0)
        std::reverse(parts.begin(), parts.end());
    return parts;
}

protocol::acquire_request small_lock::asked_by(ticket_id id) const {
    const bool takes_other = limits_.kind == small_kind::multi && sort_of(id) > 1;
    protocol::acquire_request what{.path = takes_other ? other_path : only_path,
                                   .kind = kind_of(id),
                                   .limit = {},
                                   .single_node = limits_.kind == small_kind::single_node,
                                   .leases = leases_of(id)};
    if (limits_.makes_semaphore)
        what.stated_limit = limits_.leases;
    return what;
}

bool small_lock::is_waiting(const promises::judge& judge) const {
    for (ticket_id id = 1; id <= limits_.tickets; ++id)
        if (judge.stage_of(id) == stage::waiting)
            return true;
    return false;
}

bool small_lock::finds_forgotten(const model_tree& tree, const promises::judge& judge) const {
    switch (limits_.kind) {
    case small_kind::single_node:
        return is_waiting(judge) && !tree.has(below_path(protocol::holder_name));
    case small_kind::semaphore:
        return semaphore_forgets(tree, judge);
    default: {
        const auto all = paths();
        return std::any_of(all.begin(), all.end(), [&](const std::string& path) {
            return line_forgets(tree, path, judge);
        });
    }
    }
}

bool small_lock::line_forgets(const model_tree& tree, const std::string& path,
                              const promises::judge& judge) {
    const auto line = line_in(tree, path);
    std::map<ticket_id, std::int32_t> last; // earlier ones are strays
    for (const auto& [sequence, each] : line)
        last[each.id] = sequence;
    bool readers_alone = true;
    bool first = true;
    for (const auto& [sequence, each] : line) {
        if ((each.reads ? readers_alone : first) && last[each.id] == sequence &&
            judge.stage_of(each.id) == stage::waiting)
            return true;
        readers_alone = readers_alone && each.reads;
        first = false;
    }
    return false;
}

// Whoever waits stands in line by now, and the first one takes what it needs if it is free.
bool small_lock::semaphore_forgets(const model_tree& tree, const promises::judge& judge) const {
    const auto line = line_in(tree, below_path(protocol::queue_name));
    if (line.empty())
        return is_waiting(judge);
    const auto first = line.begin()->second.id;
    const auto taken = tree.children(below_path(protocol::leases_name)).size();
    return judge.stage_of(first) == stage::waiting && taken + leases_of(first) <= limits_.leases;
}

std::vector<std::string> small_lock::left_on(const small_server& server) const {
    std::vector<std::string> left;
    for (const auto& path : paths())
        for (const auto& child : server.tree().children(path))
            left.push_back(child);
    std::set<std::string> stay;
    if (limits_.kind == small_kind::semaphore) {
        std::erase_if(left, protocol::is_of_semaphore);
        for (const auto& part : {protocol::queue_name, protocol::leases_name})
            for (const auto& child : server.tree().children(below_path(part)))
                left.push_back(child);
        stay = {below_path(protocol::limit_name), below_path(protocol::leases_name)};
    }
    if (server.watches(stay) > 0)
        left.emplace_back("a watch");
    return left;
}

} // namespace turnstile::test
