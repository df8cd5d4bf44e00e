// SPDX-License-Identifier: BSL-1.0
#include "locks/session_ground.hpp"

namespace turnstile::detail {

namespace {

class ground_service final : public boost::asio::execution_context::service {
public:
    using key_type = ground_service;

    explicit ground_service(boost::asio::execution_context& context)
        : boost::asio::execution_context::service(context) {}

    static boost::asio::execution_context::id id;
    session_ground* ground = nullptr;

private:
    void shutdown() override {}
};

boost::asio::execution_context::id ground_service::id;

} // namespace

void stand_on(boost::asio::execution_context& context, session_ground* ground) {
    boost::asio::use_service<ground_service>(context).ground = ground;
}

session_ground* ground_of(boost::asio::execution_context& context) {
    if (!boost::asio::has_service<ground_service>(context))
        return nullptr; // a program's: it has no such service
    return boost::asio::use_service<ground_service>(context).ground;
}

} // namespace turnstile::detail
