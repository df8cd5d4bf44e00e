// SPDX-License-Identifier: BSL-1.0
// The contexts of TLS, whose files are read on a thread of their own.
#pragma once

#include "zookeeper/session_strand.hpp"
#include "zookeeper/tls_stream.hpp"

#include <turnstile/tls.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace turnstile::zookeeper {

/// The context to speak TLS with; null if the settings cannot be used: `wrong` says why.
struct tls_context {
    std::shared_ptr<boost::asio::ssl::context> made{};
    std::string wrong{};
    own_certificate own{};
};

/// Returns the context for these settings, with their files as they are now. The sessions of an
/// execution context share it. To read the system's authorities takes tens of milliseconds: a
/// thread reads them, once for each change of a file. While it does, this returns nothing, and
/// `read` runs on the strand when the thread is done.
std::optional<tls_context> find_tls_context(const session_strand& strand, const tls_options& how,
                                            std::function<void()> read);

} // namespace turnstile::zookeeper
