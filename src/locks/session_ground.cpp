#include "locks/session_ground.hpp"

namespace turnstile::detail {

boost::asio::execution_context::id session_ground_service::id;

session_ground* session_ground_service::of(boost::asio::execution_context& context) {
    if (!boost::asio::has_service<session_ground_service>(context))
        return nullptr;
    return boost::asio::use_service<session_ground_service>(context).ground_;
}

} // namespace turnstile::detail
