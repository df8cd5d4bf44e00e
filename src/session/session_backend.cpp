// SPDX-License-Identifier: BSL-1.0
#include "session/session_backend.hpp"

namespace turnstile::detail {

namespace {

class backend_service final : public boost::asio::execution_context::service {
public:
    using key_type = backend_service;

    explicit backend_service(boost::asio::execution_context& context)
        : boost::asio::execution_context::service(context) {}

    static boost::asio::execution_context::id id;
    session_backend* backend = nullptr;

private:
    void shutdown() override {}
};

boost::asio::execution_context::id backend_service::id;

} // namespace

void set_backend(boost::asio::execution_context& context, session_backend* backend) {
    boost::asio::use_service<backend_service>(context).backend = backend;
}

session_backend* backend_of(boost::asio::execution_context& context) {
    if (!boost::asio::has_service<backend_service>(context))
        return nullptr; // a program's: it has no such service
    return boost::asio::use_service<backend_service>(context).backend;
}

} // namespace turnstile::detail
