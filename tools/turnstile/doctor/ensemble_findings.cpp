// SPDX-License-Identifier: BSL-1.0
// Findings about all servers of the list together, and about the rights at a path.
#include "doctor/server_findings.hpp"
#include "text/printable.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace turnstile::command {

namespace {

using right = path_access::right;

std::string value_in(const server_facts::values& from, const std::string& key) {
    const auto found = from.find(key);
    return found == from.end() ? "" : found->second;
}

using several = std::vector<const server_facts*>; // some of the servers of the list

several that_told(const several& all) { // those that answered the four-letter word `srvr`
    several result;
    for (const auto* each : all)
        if (each->said == server_facts::words::answered)
            result.push_back(each);
    return result;
}

std::string names_of(const several& which) {
    std::vector<std::string> names;
    for (const auto* each : which)
        names.push_back(each->where.text);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::set<std::string> values_of(const several& which, const std::string& key) {
    std::set<std::string> result;
    for (const auto* each : which)
        if (const auto value = value_in(each->conf, key); !value.empty())
            result.insert(value);
    return result;
}

bool tells_members(const server_facts* one) { return one->conf.contains("serverId"); }

/// Whether two names lead to one server. Each member of an ensemble has a number of its own.
bool is_one_server(const server_facts& one, const server_facts& other) {
    if (!one.reached.empty() && one.reached == other.reached)
        return true;
    return !one.members.empty() && one.members == other.members && tells_members(&one) &&
           value_in(one.conf, "serverId") == value_in(other.conf, "serverId");
}

/// Servers of one ensemble list the same members, have one leader, and none stands alone.
bool are_strangers(const several& which) {
    std::set<std::vector<std::string>> memberships;
    std::ptrdiff_t leaders = 0;
    std::ptrdiff_t single = 0;
    for (const auto* each : which) {
        if (tells_members(each))
            memberships.insert(each->members);
        const auto mode = value_in(each->srvr, "Mode");
        leaders += mode == "leader";
        single += mode == "standalone";
    }
    return which.size() > 1 && (single > 0 || leaders > 1 || memberships.size() > 1);
}

/// A line of the ensemble's own configuration: server.N=HOST:PORT:PORT[:ROLE][;[CLIENT:]PORT]
struct member {
    explicit member(const std::string& line)
        : number(line.substr(line.find('.') + 1, line.find('=') - line.find('.') - 1)) {
        const auto value = line.substr(line.find('=') + 1);
        const auto host = value.substr(0, value.find(':', value.find(']') + 1));
        const auto mark = value.find(';');
        text = host;
        if (mark == std::string::npos)
            return;
        const auto client = value.substr(mark + 1);
        const auto colon = client.rfind(':');
        const bool is_anywhere = colon == std::string::npos || client.starts_with("0.0.0.0:") ||
                                 client.starts_with("[0:0:0:0:0:0:0:0]:") ||
                                 client.starts_with("[::]:");
        text = is_anywhere ? host + ':' + client.substr(colon + 1) : client;
    }

    std::string number;
    std::string text; ///< where clients find it, as far as the line says
};

/// The differences between the list of servers and the configuration of their ensemble.
struct difference {
    several strangers{}; ///< servers of the list that the configuration lacks
    std::vector<std::string>
        missing{};         ///< members that the list lacks; empty: it is not known which
    std::size_t named = 0; ///< how many members the list names
};

difference difference_of(const several& servers, const std::vector<std::string>& members) {
    difference result;
    std::set<std::string> seen;
    several untold;
    const auto has = [&](const std::string& number) {
        return std::ranges::any_of(
            members, [&](const auto& line) { return line.starts_with("server." + number + '='); });
    };
    for (const auto* each : servers) {
        if (!tells_members(each))
            untold.push_back(each);
        else if (const auto number = value_in(each->conf, "serverId"); has(number))
            seen.insert(number);
        else
            result.strangers.push_back(each);
    }
    const bool all_seen = seen.size() == members.size();
    if (all_seen) // so the servers that tell no number are no members
        std::ranges::move(untold, std::back_inserter(result.strangers));
    result.named = servers.size() - result.strangers.size();
    for (const auto& line : members)
        if (const member one(line); untold.empty() && !seen.contains(one.number))
            result.missing.push_back(printable(one.text));
    return result;
}

std::string right_text(const char* name, right which) {
    return std::string(name) + (which == right::allowed  ? " is allowed"
                                : which == right::denied ? " is denied"
                                                         : " is unknown");
}

} // namespace

findings findings_of_all(const std::vector<server_facts>& all) {
    findings result;
    const auto add = [&](severity how, const char* check, std::string text, std::string advice) {
        result.push_back({how, check, "", std::move(text), std::move(advice)});
    };
    several servers; // each once
    for (const auto& each : all) {
        const auto same = std::ranges::find_if(
            servers, [&](const auto* known) { return is_one_server(*known, each); });
        if (same == servers.end())
            servers.push_back(&each);
        else
            add(severity::warning, "list",
                fmt::format("{} and {} are one server", (*same)->where.text, each.where.text),
                "Name each server once: the list has one server less than it seems to have.");
    }
    const auto told = that_told(servers);
    if (servers.size() > 1) {
        const bool strangers = are_strangers(told);
        if (!strangers && (told.size() < 2 || !std::ranges::all_of(told, tells_members)))
            add(severity::unknown, "ensemble",
                "whether the servers are one ensemble cannot be seen", "");
        else if (strangers)
            add(severity::error, "ensemble",
                fmt::format("{} are not servers of one ensemble: each has locks of its own",
                            names_of(told)),
                "List the servers of one ensemble only.");
        else
            add(severity::ok, "ensemble", fmt::format("{} are one ensemble", names_of(told)), "");
    }
    for (const auto* key : {"tickTime", "minSessionTimeout", "maxSessionTimeout"})
        if (const auto values = values_of(told, key); values.size() > 1)
            add(severity::warning, "alike",
                fmt::format("the servers differ in {}: {}", key, fmt::join(values, ", ")),
                "Give all servers of an ensemble the same zoo.cfg.");
    const auto most =
        std::ranges::max_element(told, {}, [](const auto* each) { return each->members.size(); });
    if (most == told.end() || (*most)->members.empty() || are_strangers(told))
        return result;
    const auto& members = (*most)->members;
    const auto found = difference_of(servers, members);
    if (!found.strangers.empty())
        add(severity::warning, "list",
            fmt::format("{}: not in the ensemble's own configuration", names_of(found.strangers)),
            "Leave it out of the list. It was removed from the ensemble, or has not joined it.");
    if (members.size() > found.named)
        add(severity::note, "list",
            fmt::format("the ensemble has {} members, and the list names {}{}", members.size(),
                        found.named,
                        found.missing.empty()
                            ? ""
                            : fmt::format(": it lacks {}", fmt::join(found.missing, ", "))),
            "Name them all, so that sessions can go to each of them.");
    return result;
}

findings findings_of_access(const std::string& path, const path_access& found,
                            const std::string& server) {
    const auto node = printable(found.node);
    const bool denied = found.read == right::denied || found.create == right::denied ||
                        found.write == right::denied || found.remove == right::denied;
    if (!denied && !found.exists)
        return {
            {severity::ok, "rights", server,
             fmt::format("{} is not there yet, and may be created below {}", printable(path), node),
             ""}};
    if (!denied && found.gives_more)
        return {{severity::warning, "rights", server,
                 fmt::format("others have rights at {} that --acl does not give: they can end its "
                             "locks",
                             node),
                 "Somebody else made this node. Change its ACL with setAcl of zkCli.sh, or use "
                 "another path."}};
    if (!denied)
        return {{severity::ok, "rights", server,
                 fmt::format("READ, CREATE, WRITE and DELETE are allowed at {}", node), ""}};
    findings result;
    const auto advice =
        "Change the ACL of this node with setAcl of zkCli.sh, or give an identity that has the "
        "right with --auth-file.";
    for (const auto& [name, which] :
         {std::pair{"READ", found.read}, std::pair{"CREATE", found.create},
          std::pair{"WRITE", found.write}, std::pair{"DELETE", found.remove}}) {
        if (which == right::denied)
            result.push_back({severity::error, "rights", server,
                              fmt::format("{} at {}", right_text(name, which), node), advice});
        else if (which == right::unknown && found.exists)
            result.push_back({severity::unknown, "rights", server,
                              fmt::format("{} at {}, until the others are allowed",
                                          right_text(name, which), node),
                              ""});
    }
    return result;
}

} // namespace turnstile::command
