// How the reactor calls a client that may be gone by then. For the files of client.
#pragma once

#include "zookeeper/client.hpp"

#include <boost/asio/error.hpp>

#include <cstddef>

namespace turnstile::zookeeper {

template <class Work>
void client::guard(Work work) {
    if (!process_.is_here())
        return; // a forked child's: the connection is the parent's
    try {
        work();
    } catch (...) {
        events_.on_failure();
        throw;
    }
}

// What the reactor calls: by then the connection that it was meant for may be gone, or the client.
template <class Work>
auto client::later(Work work) {
    return [weak = weak_from_this(), generation = generation_,
            work](const boost::system::error_code& error = {}, std::size_t count = 0) {
        const auto self = weak.lock();
        if (!self || self->generation_ != generation ||
            (error && error == boost::asio::error::operation_aborted))
            return;
        self->guard([&] { work(*self, error, count); });
    };
}

} // namespace turnstile::zookeeper
