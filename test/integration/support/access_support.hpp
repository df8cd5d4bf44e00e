// SPDX-License-Identifier: BSL-1.0
// What tests of permissions share: identities, directories made by somebody else, what nodes carry.
#pragma once

#include "cancel_support.hpp"
#include "fixture.hpp"

#include "support/foreign_client.hpp"

namespace turnstile::test {

inline const std::string alice = "alice:wonder-8271";
inline const std::string bob = "bob:builder-3141";

inline node_right right_of(const std::string& who, int permissions) {
    const auto entry = acl_entry::digest(who, permission::all);
    return {entry.scheme, entry.id, permissions};
}
inline node_right anyones(int permissions) { return {"world", "anyone", permissions}; }
inline const int every_right = 31;

inline session_options options_as(const std::string& who, acl rules = {}) {
    auto options = options_for();
    if (!who.empty())
        options.identities = {{"digest", who}};
    options.acl = std::move(rules);
    return options;
}

inline foreign_client client_as(const std::string& who) {
    return foreign_client{
        foreign_client::options{.address = shared_server().address(), .digest = who}};
}

/// A path under the root: not below "/locks", which is the other tests', and open.
inline std::string fresh_root() { return "/" + fresh_path("access").substr(7); }

/// A lock path made by alice, who may do anything, while everybody may do what `permissions` say.
inline std::string path_for_anyone(int permissions) {
    auto owner = client_as(alice);
    const auto path = fresh_root();
    REQUIRE(owner.create(path) == 0);
    REQUIRE(owner.set_acl(path, {right_of(alice, every_right), anyones(permissions)}) == 0);
    return path;
}

/// In one order, as the server keeps them in another.
inline std::vector<node_right> sorted(std::vector<node_right> rights) {
    std::ranges::sort(rights);
    return rights;
}

/// As one sees it who may change it.
inline std::vector<node_right> rights_of(foreign_client& eyes, const std::string& node) {
    std::vector<node_right> rights;
    REQUIRE(eyes.get_acl(node, &rights) == 0);
    return sorted(rights);
}

inline std::vector<std::string> children_as(foreign_client& eyes, const std::string& path) {
    std::vector<std::string> names;
    const int rc = eyes.children(path, &names);
    REQUIRE((rc == 0 || rc == -101));
    std::ranges::sort(names);
    return names;
}

/// How a first acquire of a new session of somebody's ends.
inline error_code outcome_as(fixture& f, const session_options& options, const std::string& path) {
    session s{f.context, options};
    mutex lock{s, path};
    return result_of(f, [&](auto t) { lock.acquire(std::move(t)); });
}

} // namespace turnstile::test
