// SPDX-License-Identifier: BSL-1.0
// The option --acl.
#pragma once

#include <turnstile/acl.hpp>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace turnstile::command {

/// Adds --acl, with which rights nodes are made: open, creator_all, or entries as ZooKeeper's own
/// command line has them.
CLI::Option* add_acl(CLI::App& app, acl& to);

} // namespace turnstile::command
