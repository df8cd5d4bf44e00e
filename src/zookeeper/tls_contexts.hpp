// SPDX-License-Identifier: BSL-1.0
// The contexts of TLS, whose files are read on a thread of their own.
#pragma once

#include "zookeeper/session_strand.hpp"
#include "zookeeper/tls_stream.hpp"

#include <turnstile/tls.hpp>

#include <functional>
#include <memory>
#include <string>

namespace turnstile::zookeeper {

/// The context to speak TLS with; null if the settings cannot be used: `wrong` says why.
struct tls_context {
    std::shared_ptr<boost::asio::ssl::context> made{};
    std::string wrong{};
    bool may_pass = false; // another attempt may find it
    own_certificate own{};
};

using tls_context_handler = std::function<void(const tls_context&)>;

/// Finds the context for these settings, with their files as they are now. The sessions of an
/// execution context share it. `done` is called on the strand; within this call only if the
/// settings have a context of the user's.
///
/// A thread looks at the files, since they may block it. It reads them once for each of their
/// changes: the system's authorities take tens of milliseconds. If no thread can be started, there
/// is no context for now.
void find_tls_context(const session_strand& strand, const tls_options& how,
                      tls_context_handler done);

} // namespace turnstile::zookeeper
