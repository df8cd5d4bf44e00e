// SPDX-License-Identifier: BSL-1.0
#include <turnstile/acl.hpp>

#include "zookeeper/digest.hpp"

#include <utility>

namespace turnstile {

acl_entry acl_entry::anyone(permission permissions) { return {"world", "anyone", permissions}; }

acl_entry acl_entry::digest(std::string_view user_and_password, permission permissions) {
    return {"digest", zookeeper::digest_id(user_and_password), permissions};
}

acl acl::creator_all() {
    acl result;
    result.directories = rule::creator_all;
    return result;
}

acl acl::list(std::vector<acl_entry> entries) {
    acl result;
    result.directories = rule::list;
    result.entries = std::move(entries);
    return result;
}

} // namespace turnstile
