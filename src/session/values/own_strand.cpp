// SPDX-License-Identifier: BSL-1.0
#include <turnstile/detail/own_strand.hpp>

#include <boost/asio/strand.hpp>

namespace turnstile::detail {

boost::asio::any_io_executor make_own_strand(const boost::asio::any_io_executor& over) {
    return boost::asio::make_strand(over);
}

} // namespace turnstile::detail
