// SPDX-License-Identifier: BSL-1.0
#include "session/values/access.hpp"

#include "zookeeper/digest.hpp"
#include "zookeeper/tls_stream.hpp"

#include <turnstile/error.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <random>
#include <string.h>
#include <string_view>
#include <variant>

namespace turnstile {

acl_entry acl_entry::digest(std::string_view user_and_password, permission permissions) {
    return {"digest", zookeeper::digest_id(user_and_password), permissions};
}

identity::~identity() { explicit_bzero(secret.data(), secret.size()); }

sasl_digest_md5::~sasl_digest_md5() { explicit_bzero(password.data(), password.size()); }

namespace detail {

namespace {

// Draws 128 bits, which nobody can guess.
std::string random_password() {
    std::random_device device;
    std::string text;
    for (int digit = 0; digit < 32; ++digit)
        text += "0123456789abcdef"[device() % 16];
    return text;
}

// Makes the identity that guards the session's tickets (zookeeper::guard_user). A session sets no
// tickets of others, so each one may have a password of its own. If all may delete the tickets
// anyway, a secret guards nothing, and the password is the same for all sessions.
identity make_guard_identity(const session_options& options) {
    const bool open = options.acl.directories == acl::rule::open;
    return {"digest", std::string(zookeeper::guard_user) + ':' +
                          (open ? zookeeper::guard_password : random_password())};
}

} // namespace

const identity* owner_of(const session_options& options) {
    const auto found = std::ranges::find_if(options.identities, [](const identity& who) {
        return who.scheme == "digest" && !zookeeper::digest_id(who.secret).empty();
    });
    return found == options.identities.end() ? nullptr : &*found;
}

std::shared_ptr<const zookeeper::access> access_of(const session_options& options) {
    auto result = std::make_shared<zookeeper::access>();
    auto& [directories, tickets] = result->acls;
    if (options.protect_tickets) {
        result->identities.push_back(make_guard_identity(options));
        const auto guard = zookeeper::digest_id(result->identities.front().secret);
        tickets.push_back({"digest", guard, permission::all});
    }
    result->identities.insert(result->identities.end(), options.identities.begin(),
                              options.identities.end());
    if (options.acl.directories == acl::rule::creator_all)
        directories.push_back(
            {"digest", zookeeper::digest_id(owner_of(options)->secret), permission::all});
    else if (options.acl.directories == acl::rule::list)
        directories = options.acl.entries;
    tickets.insert(tickets.end(), options.acl.tickets.begin(), options.acl.tickets.end());
    return result;
}

std::string describe_identities(const session_options& options, const std::string& certificate) {
    std::string text;
    const auto add = [&](const std::string& scheme, const std::string& id) {
        text.append(text.empty() ? "the session is " : ", ").append(scheme).append(" ").append(id);
    };
    for (const auto& [scheme, secret] : options.identities) {
        const auto colon = secret.find(':'); // without one, all of it may be a password
        const bool has_user = scheme == "digest" && colon != std::string::npos;
        add(scheme, has_user ? secret.substr(0, colon) : "(not shown)");
    }
    if (options.sasl) {
        const auto digest = std::get_if<sasl_digest_md5>(&*options.sasl);
        const auto& name = digest ? digest->user : std::get<sasl_gssapi>(*options.sasl).principal;
        add("sasl", name.empty() ? "by its tickets" : name);
    }
    if (!certificate.empty())
        add("x509", certificate);
    return text.empty() ? "the session has no identity" : text;
}

} // namespace detail

std::shared_ptr<boost::asio::ssl::context> make_context(const tls_options& options) {
    std::string wrong;
    auto made = zookeeper::make_context(options, wrong);
    if (!made)
        throw boost::system::system_error(error::bad_options, wrong);
    return made;
}

} // namespace turnstile
