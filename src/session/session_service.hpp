// SPDX-License-Identifier: BSL-1.0
// Tells sessions that their execution context is being destroyed.
#pragma once

#include <boost/asio/execution_context.hpp>

#include <mutex>
#include <set>

namespace turnstile::detail {

class session_impl;

/// Handlers that wait in a session are no handlers that the context knows: at its end they have to
/// be destroyed, uninvoked, before the reactor's services go.
class session_service final : public boost::asio::execution_context::service {
public:
    using key_type = session_service;
    static boost::asio::execution_context::id id;

    explicit session_service(boost::asio::execution_context& context);

    void add(session_impl& session);
    void remove(session_impl& session);

private:
    void shutdown() override;

    std::mutex mutex_;
    std::set<session_impl*> sessions_;
};

} // namespace turnstile::detail
