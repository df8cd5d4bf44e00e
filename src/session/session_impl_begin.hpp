// SPDX-License-Identifier: BSL-1.0
// How an operation of a session begins: on its strand, unless it is refused.
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
            function();
        } catch (...) {
            self->on_failure();
            throw;
        }
        if (self->failed_)
            self->fail_all(error::session_closed);
    };
    const user_call calling;
    // The machine may be at work on this very strand: it calls log sinks, which may use the
    // session.
    if (driver_->strand().running_in_this_thread())
        boost::asio::post(driver_->strand(), std::move(work));
    else
        driver_->strand().execute(std::move(work));
}

template <class... Results>
auto session_impl::prepare(const std::string& path, const fault& refused,
                           handler<Results...>&& done, effect left)
    -> std::optional<ready<Results...>> {
    if (is_orphaned())
        return std::nullopt; // the handler is destroyed uninvoked
    if (done.diag) {
        done.diag->path = path;
        done.diag->cause = refused.text;
    }
    const auto id = next_id();
    on_cancellation(done, weak_from_this(), [id, left](session_impl& self, auto type) {
        self.enter([&self, id, left, all = is_terminal(type)] {
            if (all || left == effect::none || (left == effect::when_sent && !self.was_sent(id)))
                self.cancel(id); // ids are never used again
        });
    });
    // From here on the handler's executor has work: the strand may begin much later.
    pending_operation<error_code, Results...> pending(std::move(done), home_);
    if (refused.code) {
        std::move(pending).complete(refused.code, Results()...);
        return std::nullopt;
    }
    return ready<Results...>{id, std::move(pending)};
}

template <class... Results, class Work>
void session_impl::begin(const std::string& path, const fault& refused, handler<Results...>&& done,
                         Work work, effect left) {
    if (auto prepared = prepare(path, refused, std::move(done), left))
        enter([prepared = std::move(*prepared), work = std::move(work)]() mutable {
            work(prepared.id, std::move(prepared.pending));
        });
}

} // namespace turnstile::detail
