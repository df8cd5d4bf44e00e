// SPDX-License-Identifier: BSL-1.0
// How an operation of a session begins: on its strand, where nothing refuses it.
#pragma once

#include "session/session_impl.hpp"
#include "session/user_call.hpp"

#include <boost/asio/post.hpp>

#include <optional>
#include <string>
#include <utility>

namespace turnstile::detail {

template <class Function>
void session_impl::enter(Function function) {
    if (!driver_ || is_forked())
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

// What each operation needs before its turn; nothing where it is refused, and over.
template <class... Results>
auto session_impl::prepare(const std::string& path, const fault& bad, handler<Results...>&& done)
    -> std::optional<ready<Results...>> {
    if (is_orphaned())
        return std::nullopt; // the handler is destroyed uninvoked
    if (done.diag) {
        done.diag->path = path;
        done.diag->cause = bad.text;
    }
    const auto id = next_id();
    // Whatever the type: an acquire leaves nothing behind, the others only stop waiting. Ids are
    // never used again.
    on_cancellation(done, weak_from_this(), [id](session_impl& self) {
        self.enter([id](session_impl& impl) { impl.cancel(id); });
    });
    // Work on the handler's executor from the start: the strand may take its time.
    pending_operation<error_code, Results...> pending(std::move(done), home_);
    if (bad.code) {
        std::move(pending).complete(bad.code, Results()...);
        return std::nullopt;
    }
    return ready<Results...>{id, std::move(pending)};
}

template <class... Results, class Work>
void session_impl::begin(const std::string& path, const fault& bad, handler<Results...>&& done,
                         Work work) {
    if (auto prepared = prepare(path, bad, std::move(done)))
        enter(
            [prepared = std::move(*prepared), work = std::move(work)](session_impl& impl) mutable {
                work(impl, prepared.id, std::move(prepared.pending));
            });
}

} // namespace turnstile::detail
