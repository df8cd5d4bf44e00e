// SPDX-License-Identifier: BSL-1.0
#include "session/locks/multi_operation.hpp"

#include "session/locks/multi_hold.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

template <class Input>
void multi_operation::enter(Input input) {
    turns_.take([self = shared_from_this(), input = std::move(input)] {
        if (self->given_up_)
            return;
        try {
            self->perform(input(*self));
        } catch (...) {
            self->give_up();
            throw;
        }
    });
}

template <class Answer>
erased_handler<void(error_code, Answer)>
multi_operation::answer_of(std::size_t which, Answer part::*place,
                           machine::actions (multi_operation::*input)(std::size_t)) {
    auto done = [self = shared_from_this(), which, place, input](const error_code& code,
                                                                 Answer answer) {
        // This runs before the part's turn, perhaps beside the turn of another part. That is safe:
        // a part has one answer under way, and only its handler sets these two members.
        auto& of = self->parts_[which];
        of.answer_code = code;
        of.*place = std::move(answer);
        self->enter([which, input](multi_operation& op) {
            op.parts_[which].failure = op.parts_[which].answer_code;
            return (op.*input)(which);
        });
    };
    return erased_handler<void(error_code, Answer)>::of(
        asio::bind_cancellation_slot(parts_[which].signal.slot(), std::move(done)),
        object_->part(which).session->executor(), diag_ ? &parts_[which].diag : nullptr);
}

multi_operation::multi_operation(std::shared_ptr<multi_object> of, bool waits,
                                 std::optional<protocol::duration> limit)
    : object_(std::move(of)),
      began_(lease_clock::now()),
      waits_(waits),
      parts_(object_->size()),
      machine_(object_->known_keys(), limit ? std::optional(began_ + *limit) : std::nullopt) {
    machine_.may_go_together(object_->groups());
}

multi_operation::~multi_operation() {
    object_->forget(*this);
    if (waiting_) // the context of a part is gone, and its answer with it
        object_->usage()->add(&lock_usage::cancelled);
    for (std::size_t which = 0; which < parts_.size(); ++which)
        release(which);
}

void multi_operation::prepare(handler done) {
    diag_ = done.diag;
    on_cancellation(done, weak_from_this(), [](multi_operation& self, auto) { self.cancel(); });
    waiting_.emplace(std::move(done), object_->executor());
    object_->usage()->add(&lock_usage::acquires);
}

void multi_operation::start() {
    enter([](multi_operation& self) { return self.machine_.start(lease_clock::now()); });
}

void multi_operation::cancel() noexcept {
    try {
        enter([](multi_operation& self) { return self.machine_.cancel(); });
    } catch (...) { // give_up() has ended it
    }
}

bool multi_operation::is_orphaned(std::size_t which) const {
    return !object_->part(which).session->executor();
}

void multi_operation::refuse(std::size_t which) {
    enter([which](multi_operation& self) {
        self.parts_[which].failure = error::session_closed;
        return self.machine_.on_failed(lease_clock::now(), which);
    });
}

void multi_operation::perform(const machine::actions& todo) {
    for (std::size_t next = 0; next < todo.size();)
        if (todo[next].what == machine::step::acquire)
            next += start_acquire(todo, next);
        else
            perform_one(todo[next++]);
}

void multi_operation::perform_one(const machine::action& action) {
    using enum machine::step;
    switch (action.what) {
    case look_up:
        return start_look_up(action);
    case acquire: // perform() has started it
        return;
    case cancel:
        return parts_[action.part].signal.emit(asio::cancellation_type::terminal);
    case release:
        return this->release(action.part);
    case granted:
        return finish();
    case failed:
        return fail(action.part, parts_[action.part].failure);
    case duplicate:
        return fail(action.part, error::duplicate_lock);
    case unstable:
        return fail(action.part, error::path_unstable);
    case cancelled:
        return complete(asio::error::operation_aborted);
    }
}

void multi_operation::start_look_up(const machine::action& action) {
    if (is_orphaned(action.part))
        return refuse(action.part);
    const auto& object = object_->part(action.part);
    auto request = object.request;
    request.patient = waits_; // perhaps a semaphore can be made only once others have let go
    request.limit = action.limit;
    object.session->locks().look_up(
        object, std::move(request),
        answer_of(action.part, &part::found_key, &multi_operation::on_looked_up));
}

multi_operation::machine::actions multi_operation::on_looked_up(std::size_t which) {
    const auto& answer = parts_[which];
    return answer.answer_code ? machine_.on_failed(lease_clock::now(), which)
                              : machine_.on_found(lease_clock::now(), which, answer.found_key);
}

multi_operation::machine::actions multi_operation::on_acquired(std::size_t which) {
    auto& answer = parts_[which];
    answer.held = lock_state::take(answer.granted_lock);
    if (answer.held)
        return machine_.on_granted(lease_clock::now(), which);
    if (!answer.answer_code)
        answer.failure = error::would_block; // others hold it
    // These two codes stand for `path_renewed` and `taken_back`, which no user sees.
    if (answer.failure == error::path_unstable)
        return machine_.on_renewed(lease_clock::now(), which);
    return answer.failure == asio::error::operation_aborted
               ? machine_.on_taken_back(lease_clock::now(), which)
               : machine_.on_failed(lease_clock::now(), which);
}

session_locks::one_of_several multi_operation::request_of(const machine::action& action) {
    const auto& object = object_->part(action.part);
    session_locks::one_of_several result{
        .record = object.record,
        .what = object.request,
        .done = answer_of(action.part, &part::granted_lock, &multi_operation::on_acquired)};
    result.what.patient = waits_;
    result.what.limit = action.limit;
    result.what.incarnation = action.key.czxid;
    result.what.later_part = action.later_part;
    return result;
}

std::size_t multi_operation::start_acquire(const machine::actions& todo, std::size_t first) {
    if (is_orphaned(todo[first].part)) {
        refuse(todo[first].part);
        return 1;
    }
    const auto& of = object_->part(todo[first].part);
    if (!todo[first].with_next) {
        auto one = request_of(todo[first]);
        of.session->locks().acquire(of, std::move(one.what), std::move(one.done));
        return 1;
    }
    std::vector<session_locks::one_of_several> together;
    together.reserve(todo.size() - first);
    for (auto next = first;; ++next) {
        together.push_back(request_of(todo[next]));
        if (!todo[next].with_next)
            break;
    }
    const auto count = together.size();
    of.session->locks().acquire(std::move(together));
    return count;
}

void multi_operation::release(std::size_t which) noexcept {
    if (const auto held = std::exchange(parts_[which].held, nullptr))
        held->release();
}

void multi_operation::finish() {
    const auto lost = std::find_if(parts_.begin(), parts_.end(),
                                   [](const part& each) { return !each.held->is_held(); });
    if (lost != parts_.end()) // between its grant and now: all begins again
        return perform(
            machine_.on_lost(lease_clock::now(), static_cast<std::size_t>(lost - parts_.begin())));
    object_->keep_keys(machine_.keys());
    multi_hold::parts held;
    for (const auto& each : parts_)
        held.push_back(each.held);
    const auto all = std::make_shared<multi_hold>(
        std::move(held), std::make_shared<multi_hold::grant>(object_->usage(), machine_.order()));
    for (auto& each : parts_)
        each.held.reset(); // from here on the held_lock owns them
    complete({}, lock_state::own(all));
}

void multi_operation::fail(std::size_t which, const error_code& result) {
    if (diag_) {
        *diag_ = parts_[which].diag;
        diag_->path = object_->part(which).request.path;
    }
    complete(result);
}

void multi_operation::complete(const error_code& result, held_lock lock) {
    object_->forget(*this);
    auto done = std::exchange(waiting_, std::nullopt);
    if (!done)
        return;
    object_->usage()->add(counter_of(result));
    if (!result)
        object_->usage()->add(&lock_usage::wait, lease_clock::now() - began_);
    const bool others_hold = result == error::would_block; // the empty lock says so
    std::move(*done).complete(others_hold ? error_code() : result, std::move(lock));
}

void multi_operation::give_up() noexcept {
    given_up_ = true;
    try { // this comes first: machine_.cancel() would complete with operation_aborted
        complete(asio::error::no_memory);
    } catch (...) { // the handler is destroyed uninvoked
    }
    try {
        perform(machine_.cancel());
    } catch (...) {
    }
    for (std::size_t which = 0; which < parts_.size(); ++which)
        release(which);
}

} // namespace turnstile::detail
