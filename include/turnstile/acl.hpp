// SPDX-License-Identifier: BSL-1.0
// Who a session is to the servers, and who may do what with the nodes that it makes.
#pragma once

#include <turnstile/detail/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile {

/// An identity of the session, as ZooKeeper's `addauth`.
struct identity {
    std::string scheme; ///< `digest`
    std::string secret; ///< `user:password`; sent in clear text without `tls`; never logged

    TURNSTILE_API ~identity(); ///< overwrites the secret
};

/// ZooKeeper's permissions. A server checks `create` and `remove` on the parent of the node that is
/// made or deleted: so the ACL of the lock path guards a lock.
enum class permission : std::uint8_t {
    none = 0,
    read = 1,
    write = 2,
    create = 4,
    remove = 8, ///< DELETE
    admin = 16, ///< changing the ACL
    all = 31,
};

constexpr permission operator|(permission a, permission b) noexcept {
    return static_cast<permission>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr permission operator&(permission a, permission b) noexcept {
    return static_cast<permission>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// One line of an ACL.
struct acl_entry {
    std::string scheme; ///< `world`, `digest`, `ip`, `x509` or `sasl`
    std::string id; ///< `anyone`; `user:base64(sha1(user:password))`; an address or a network; ...
    permission permissions = permission::none;

    /// Everybody.
    static acl_entry anyone(permission permissions) { return {"world", "anyone", permissions}; }
    /// The holders of this `user:password`, which itself is not kept.
    TURNSTILE_API static acl_entry digest(std::string_view user_and_password,
                                          permission permissions);

    friend bool operator==(const acl_entry&, const acl_entry&) = default;
};

/// The ACLs of the nodes that a session makes. A node that exists already keeps its own.
///
/// Lock directories are lock paths and their parents. Tickets always carry an entry by which their
/// own session may set them (`session_options::protect_tickets`).
struct acl {
    enum class rule {
        open,        ///< anybody may do anything in lock directories
        creator_all, ///< the session's first `digest` identity alone may do anything
        list,        ///< as `entries` say
    };

    rule directories = rule::open;
    std::vector<acl_entry> entries{}; ///< of lock directories, with rule::list

    /// The entries of tickets, beside that of their own session. All users of a lock need READ on
    /// its tickets. Without it they get `error::read_denied`.
    std::vector<acl_entry> tickets{acl_entry::anyone(permission::read)};

    /// The default: for ensembles whose clients trust each other.
    static acl open() { return {}; }
    /// One identity for all users of a lock: all of them add the same one, of the scheme `digest`,
    /// to `session_options::identities`. To make a lock path costs one round trip more, which
    /// checks that the servers know this identity (`error::owner_unknown`).
    static acl creator_all() { return {.directories = rule::creator_all}; }
    /// Each user of the lock needs CREATE, READ, WRITE and DELETE.
    static acl list(std::vector<acl_entry> entries) {
        return {.directories = rule::list, .entries = std::move(entries)};
    }
};

} // namespace turnstile
