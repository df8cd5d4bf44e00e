// SPDX-License-Identifier: BSL-1.0
#include "session/part_answers.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>

#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

void part_answers::start(lock_operation what, const std::vector<std::shared_ptr<lock_state>>& parts,
                         const asio::any_io_executor& home, plain_handler done) {
    if (!home)
        return; // the context is gone: the handler is destroyed uninvoked
    const auto self = std::make_shared<part_answers>(what, parts.size());
    on_cancellation(done, self->weak_from_this(), [](part_answers& of) {
        of.turns_.take([alive = of.shared_from_this()] {
            alive->complete(asio::error::operation_aborted);
            alive->stop();
        });
    });
    if (done.diag)
        self->diags_.resize(parts.size());
    self->waiting_.emplace(std::move(done), home);
    // As one turn: an answer that comes early waits until all are asked.
    self->turns_.take([&] {
        for (std::size_t part = 0; part < parts.size(); ++part) {
            auto answer = [self, part](error_code result) {
                self->turns_.take([self, part, result] { self->on_answer(part, result); });
            };
            if (!parts[part]->executor()) // its context is gone: it calls no handler
                answer(error::session_closed);
            else
                parts[part]->start(
                    what, plain_handler::of(asio::bind_cancellation_slot(
                                                self->signals_[part].slot(), std::move(answer)),
                                            parts[part]->executor(),
                                            self->diags_.empty() ? nullptr : &self->diags_[part]));
        }
    });
}

part_answers::part_answers(lock_operation what, std::size_t parts)
    : awaits_all_(what == lock_operation::release), signals_(parts), open_(parts) {}

void part_answers::on_answer(std::size_t part, const error_code& result) {
    --open_;
    if (!result_ && result) {
        result_ = result;
        if (waiting_ && waiting_->diag())
            *waiting_->diag() = diags_[part];
    }
    if (!waiting_ || (awaits_all_ && open_ > 0))
        return; // the others were stopped already, or are waited for
    complete(result_);
    stop();
}

void part_answers::complete(const error_code& result) {
    if (!waiting_)
        return;
    auto done = std::move(*waiting_);
    waiting_.reset();
    std::move(done).complete(result);
}

void part_answers::stop() {
    if (!awaits_all_ && open_ > 0)
        for (auto& each : signals_)
            each.emit(asio::cancellation_type::terminal);
}

} // namespace turnstile::detail
