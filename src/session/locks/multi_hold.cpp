// SPDX-License-Identifier: BSL-1.0
#include "session/locks/multi_hold.hpp"

#include "session/completion.hpp"
#include "session/values/turns.hpp"

#include <turnstile/diagnostics.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <optional>

namespace turnstile::detail {

namespace asio = boost::asio;

namespace {

/// One operation on all parts of a multi_lock: it awaits their answers, and completes with one
/// code. The handlers of the answers that are still open own it. The parts answer on several
/// strands, and `turns_` runs one answer at a time.
class part_answers : public std::enable_shared_from_this<part_answers> {
public:
    using plain_handler = lock_state::plain_handler;

    /// Starts the operation on the parts in this order. A release completes when all parts have
    /// answered, with the first error, if any. Any other operation completes when the first part
    /// has answered, and is cancelled on the others. `done` runs on its own executor, else on
    /// `home`.
    static void start(lock_operation what, const std::vector<std::shared_ptr<lock_state>>& parts,
                      const asio::any_io_executor& home, plain_handler done);

    part_answers(lock_operation what, std::size_t parts)
        : awaits_all_(what == lock_operation::release), signals_(parts), open_(parts) {}

private:
    void on_answer(std::size_t part, const error_code& result);
    /// Completes the user's operation, unless that was done before.
    void complete(const error_code& result);
    /// Cancels the operation on the parts that have not answered. Does nothing for a release.
    void stop();

    const bool awaits_all_; // true: a release
    turns turns_;
    std::optional<pending_operation<error_code>> waiting_; // empty once completed
    std::vector<asio::cancellation_signal> signals_;
    std::vector<diagnostics> diags_{}; // of each part; none if the caller asks for no details
    std::size_t open_;                 // how many parts have not answered
    error_code result_;                // the first error
};

void part_answers::start(lock_operation what, const std::vector<std::shared_ptr<lock_state>>& parts,
                         const asio::any_io_executor& home, plain_handler done) {
    if (!home)
        return; // the context is gone: the handler is destroyed uninvoked
    const auto self = std::make_shared<part_answers>(what, parts.size());
    on_cancellation(done, self->weak_from_this(), [](part_answers& of, auto type) {
        if (of.awaits_all_ && !is_terminal(type))
            return; // the parts are released all the same
        of.turns_.take([alive = of.shared_from_this()] {
            alive->complete(asio::error::operation_aborted);
            alive->stop();
        });
    });
    if (done.diag)
        self->diags_.resize(parts.size());
    self->waiting_.emplace(std::move(done), home);
    // All parts are asked in one turn: an answer that comes early waits for the end of it.
    self->turns_.take([&] {
        for (std::size_t part = 0; part < parts.size(); ++part) {
            auto answer = [self, part](error_code result) {
                self->turns_.take([self, part, result] { self->on_answer(part, result); });
            };
            if (!parts[part]->executor()) // the part's context is gone, and it calls no handler
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

void part_answers::on_answer(std::size_t part, const error_code& result) {
    --open_;
    if (!result_ && result) {
        result_ = result;
        if (waiting_ && waiting_->diag())
            *waiting_->diag() = diags_[part];
    }
    if (!waiting_ || (awaits_all_ && open_ > 0))
        return; // the operation was completed before, or awaits other parts
    complete(result_);
    stop();
}

void part_answers::complete(const error_code& result) {
    if (auto done = std::exchange(waiting_, std::nullopt))
        std::move(*done).complete(result);
}

void part_answers::stop() {
    if (!awaits_all_ && open_ > 0)
        for (auto& each : signals_)
            each.emit(asio::cancellation_type::terminal);
}

} // namespace

const boost::asio::any_io_executor& multi_hold::executor() const {
    return parts_.front()->executor();
}

std::vector<fencing_token> multi_hold::tokens() const {
    std::vector<fencing_token> tokens;
    for (const auto& part : parts_)
        tokens.push_back(part->token());
    return tokens;
}

lease_clock::time_point multi_hold::deadline() const {
    auto earliest = parts_.front()->deadline();
    for (const auto& part : parts_)
        earliest = std::min(earliest, part->deadline());
    return earliest;
}

bool multi_hold::is_held() const { return std::ranges::all_of(parts_, &lock_state::is_held); }

bool multi_hold::is_at_risk() const { return std::ranges::any_of(parts_, &lock_state::is_at_risk); }

bool multi_hold::is_closed() const { return std::ranges::any_of(parts_, &lock_state::is_closed); }

std::shared_ptr<lock_state> multi_hold::share() {
    parts shared;
    shared.reserve(parts_.size());
    std::vector<held_lock> handles; // if memory runs out, these release the new handles
    handles.reserve(parts_.size());
    for (const auto& part : parts_) {
        shared.push_back(part->share());
        handles.push_back(own(shared.back()));
    }
    auto whole = std::make_shared<multi_hold>(std::move(shared), grant_);
    for (auto& handle : handles)
        take(handle);
    return whole;
}

std::vector<std::shared_ptr<ticket_lock>> multi_hold::tickets() {
    std::vector<std::shared_ptr<ticket_lock>> tickets;
    for (const auto& part : parts_)
        tickets.push_back(part->tickets().front());
    return tickets;
}

void multi_hold::count_end() noexcept {
    if (ended_.test_and_set())
        return;
    const auto end = is_held()     ? &lock_usage::released
                     : is_closed() ? &lock_usage::closed
                                   : &lock_usage::lost;
    if (--grant_->handles > 0)
        return;
    grant_->usage->add(end);
    grant_->usage->add(&lock_usage::hold, lease_clock::now() - grant_->granted_at);
}

void multi_hold::start(lock_operation what, plain_handler&& done) {
    if (what == lock_operation::downgrade)
        return refuse(std::move(done), error::not_exclusive);
    if (what == lock_operation::upgrade)
        return refuse(std::move(done), error::not_shared);
    if (what != lock_operation::release)
        return part_answers::start(what, parts_, executor(), std::move(done));
    if (!executor()) // the first part's context is gone: no handler can be called
        return release();
    count_end();
    parts reversed;
    for (auto part = grant_->order.rbegin(); part != grant_->order.rend(); ++part)
        reversed.push_back(parts_[*part]);
    part_answers::start(what, reversed, executor(), std::move(done));
}

void multi_hold::release() noexcept {
    count_end();
    for (auto part = grant_->order.rbegin(); part != grant_->order.rend(); ++part)
        parts_[*part]->release();
}

} // namespace turnstile::detail
