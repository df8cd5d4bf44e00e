// SPDX-License-Identifier: BSL-1.0
// How an operation gets from its caller to the session's strand. For the files of session_impl.
#pragma once

#include "locks/session_impl.hpp"
#include "locks/user_call.hpp"

#include <turnstile/diagnostics.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/post.hpp>

#include <string>
#include <utility>

namespace turnstile::detail {

template <class Function>
void session_impl::enter(Function function) {
    if (!driver_)
        return;
    auto work = [self = shared_from_this(), function = std::move(function)]() mutable {
        if (!self->driver_ || self->is_forked())
            return;
        try {
            function(*self);
        } catch (...) {
            self->on_failure();
            throw;
        }
        if (self->failed_)
            self->fail_all(error::session_closed);
    };
    const user_call calling;
    // A log sink that uses the library, or lets go of it, is called by the machine at work.
    if (driver_->strand().running_in_this_thread())
        boost::asio::post(driver_->strand(), std::move(work));
    else
        driver_->strand().execute(std::move(work));
}

/// What is known of an operation at its call.
inline void tell_path(diagnostics* told, const std::string& path) {
    if (told)
        told->path = path;
}

template <class Signature>
void session_impl::make_cancellable(const erased_handler<Signature>& handler, operation_id id) {
    auto slot = boost::asio::get_associated_cancellation_slot(handler.handler);
    if (!slot.is_connected())
        return;
    // Whatever the type: an acquire leaves nothing behind, the others only stop waiting. It may be
    // called when the operation is over, or the session gone: ids are never used again.
    slot.assign([weak = weak_from_this(), id](boost::asio::cancellation_type_t type) {
        const auto self = weak.lock();
        if (self && type != boost::asio::cancellation_type::none)
            self->enter([id](session_impl& impl) { impl.cancel(id); });
    });
}

// Work on the handler's executor from the start: the strand may take its time.
template <class... Args>
pending_operation<Args...> session_impl::pending_of(erased_handler<void(Args...)>&& handler) const {
    return pending_operation<Args...>(std::move(handler), home_);
}

template <class... Args>
bool session_impl::refuse(const error_code& why, erased_handler<void(error_code, Args...)>& handler,
                          std::type_identity_t<Args>... result) {
    if (is_orphaned())
        return true; // the handler is destroyed uninvoked
    if (!why)
        return false;
    pending_operation<error_code, Args...>(std::move(handler), home_)
        .complete(home_, why, std::move(result)...);
    return true;
}

} // namespace turnstile::detail
