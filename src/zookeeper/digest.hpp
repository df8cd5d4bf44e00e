// SPDX-License-Identifier: BSL-1.0
// How the scheme `digest` writes an identity into an ACL.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::zookeeper {

/// "user:password" -> "user:base64(sha1(user:password))", as DigestAuthenticationProvider does.
/// Empty if the text has not that form: it would become a user's name, which all can read.
std::string digest_id(std::string_view user_and_password);

/// Whether an id has that form: a plain password in an ACL would be readable by all.
bool is_digest_id(std::string_view id);

} // namespace turnstile::zookeeper
