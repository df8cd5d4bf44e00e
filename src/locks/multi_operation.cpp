// SPDX-License-Identifier: BSL-1.0
#include "locks/multi_operation.hpp"

#include "locks/lease_view.hpp"
#include "locks/multi_hold.hpp"
#include "locks/multi_operation_entry.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

namespace {

std::optional<protocol::instant> end_of(const acquire_manner& how) {
    const auto left = how.limit.left();
    if (!left)
        return std::nullopt;
    return to_instant(lease_clock::now()) + *left;
}

} // namespace

multi_operation::multi_operation(std::shared_ptr<multi_object> of, const acquire_manner& how)
    : of_(std::move(of)),
      began_(lease_clock::now()),
      patient_(how.patient),
      home_(of_->executor()),
      parts_(of_->size()),
      machine_(of_->known(), end_of(how)) {
    machine_.may_go_together(of_->groups());
}

multi_operation::~multi_operation() {
    of_->forget(*this);
    if (waiting_) // its context is gone
        of_->usage()->acquire_ended(asio::error::operation_aborted, began_);
    for (std::size_t which = 0; which < parts_.size(); ++which)
        release(which);
}

void multi_operation::prepare(handler done) {
    told_ = done.told;
    // Whoever takes it holds the operation.
    cancellation_ = turns::prepare(
        [this] { work([](multi_operation& self) { return self.machine_.cancel(); }); });
    auto slot = asio::get_associated_cancellation_slot(done.handler);
    if (slot.is_connected())
        slot.assign([weak = weak_from_this()](asio::cancellation_type_t type) {
            const auto self = weak.lock();
            if (self && type != asio::cancellation_type::none)
                self->cancel();
        });
    waiting_.emplace(std::move(done), home_);
    of_->usage()->acquire_began();
}

void multi_operation::start() {
    enter([](multi_operation& self) { return self.machine_.start(self.now()); });
}

void multi_operation::cancel() noexcept {
    try {
        turns_.take(cancellation_);
    } catch (...) { // it was ended for want of memory
    }
}

protocol::instant multi_operation::now() const { return to_instant(lease_clock::now()); }

bool multi_operation::is_orphaned(std::size_t which) const { return !of_->part(which).executor(); }

// Its context is gone: its session calls nobody.
void multi_operation::refuse(std::size_t which) {
    enter([which](multi_operation& self) {
        self.parts_[which].reason = error::session_closed;
        return self.machine_.on_failed(self.now(), which);
    });
}

void multi_operation::perform(const machine::actions& todo) {
    for (std::size_t next = 0; next < todo.size();)
        if (todo[next].what == machine::step::acquire)
            next += acquire(todo, next);
        else
            perform(todo[next++]);
}

void multi_operation::perform(const machine::action& what) {
    using enum machine::step;
    switch (what.what) {
    case look_up:
        return this->look_up(what);
    case acquire: // not one by one
        return;
    case cancel:
        return parts_[what.part].signal.emit(asio::cancellation_type::terminal);
    case release:
        return this->release(what.part);
    case granted:
        return finish();
    case failed:
        return fail(what.part, parts_[what.part].reason);
    case duplicate:
        return fail(what.part, error::duplicate_lock);
    case unstable:
        return fail(what.part, error::path_unstable);
    case cancelled:
        return complete(asio::error::operation_aborted);
    }
}

diagnostics* multi_operation::told_of(std::size_t which) {
    return told_ ? &parts_[which].told : nullptr;
}

void multi_operation::look_up(const machine::action& what) {
    if (is_orphaned(what.part))
        return refuse(what.part);
    auto how = of_->manner(what.part);
    how.patient = patient_; // where a semaphore can be made only once others have let go
    how.limit = what.limit;
    auto done = answer_of<&part::found, &multi_operation::on_looked_up>(what.part);
    using handler_type = session_impl::lookup_handler;
    of_->part(what.part).look_up(how, {.handler = asio::bind_cancellation_slot(
                                           parts_[what.part].signal.slot(), std::move(done)),
                                       .where = handler_type::home::session,
                                       .told = told_of(what.part)});
}

multi_operation::machine::actions multi_operation::on_looked_up(std::size_t which) {
    const auto& answer = parts_[which];
    return answer.result ? machine_.on_failed(now(), which)
                         : machine_.on_found(now(), which, answer.found);
}

multi_operation::machine::actions multi_operation::on_acquired(std::size_t which) {
    auto& answer = parts_[which];
    answer.held = lock_state::take(answer.came);
    if (answer.held)
        return machine_.on_granted(now(), which);
    if (!answer.result)
        answer.reason = error::would_block; // others have it
    if (answer.result == error::path_unstable)
        return machine_.on_renewed(now(), which);
    return answer.result == asio::error::operation_aborted ? machine_.on_taken_back(now(), which)
                                                           : machine_.on_failed(now(), which);
}

acquire_manner multi_operation::manner_of(const machine::action& what) const {
    auto how = of_->manner(what.part);
    how.patient = patient_;
    how.limit = what.limit;
    how.incarnation = what.key.czxid;
    how.later_part = what.later;
    return how;
}

session_impl::acquire_handler multi_operation::handler_of(std::size_t which) {
    auto done = answer_of<&part::came, &multi_operation::on_acquired>(which);
    return {.handler = asio::bind_cancellation_slot(parts_[which].signal.slot(), std::move(done)),
            .where = session_impl::acquire_handler::home::session,
            .posting = {},
            .told = told_of(which)};
}

// One, or all of one transaction. How many they were.
std::size_t multi_operation::acquire(const machine::actions& todo, std::size_t first) {
    if (is_orphaned(todo[first].part)) {
        refuse(todo[first].part);
        return 1;
    }
    if (!todo[first].with_next) {
        const auto& what = todo[first];
        of_->part(what.part).acquire(manner_of(what), handler_of(what.part));
        return 1;
    }
    std::vector<session_impl::one_of_several> together;
    together.reserve(todo.size() - first);
    for (auto next = first;; ++next) {
        const auto& what = todo[next];
        together.push_back(of_->part(what.part).wish(manner_of(what), handler_of(what.part)));
        if (!what.with_next)
            break;
    }
    const auto count = together.size();
    of_->part(todo[first].part).session()->acquire(std::move(together));
    return count;
}

void multi_operation::release(std::size_t which) noexcept {
    if (const auto held = std::exchange(parts_[which].held, nullptr))
        held->release();
}

// A part may have been lost while the others were waited for.
void multi_operation::finish() {
    const auto lost = std::find_if(parts_.begin(), parts_.end(),
                                   [](const part& each) { return !each.held->is_held(); });
    if (lost != parts_.end())
        return perform(machine_.on_lost(now(), static_cast<std::size_t>(lost - parts_.begin())));
    of_->learn(machine_.keys());
    multi_hold::parts held;
    for (const auto& each : parts_)
        held.push_back(each.held);
    const auto all = std::make_shared<multi_hold>(
        std::move(held), std::make_shared<multi_hold::grant>(of_->usage(), machine_.order()));
    for (auto& each : parts_)
        each.held.reset(); // from here on they are the value's
    complete({}, lock_state::own(all));
}

void multi_operation::fail(std::size_t which, const error_code& result) {
    if (told_) {
        *told_ = parts_[which].told;
        told_->path = of_->part(which).path();
    }
    complete(result);
}

void multi_operation::complete(const error_code& result, held_lock lock) {
    of_->forget(*this);
    if (!waiting_)
        return;
    auto done = std::move(*waiting_);
    waiting_.reset();
    of_->usage()->acquire_ended(result, began_);
    const bool taken = result == error::would_block; // the empty lock says so
    std::move(done).complete(home_, taken ? error_code() : result, std::move(lock));
    home_ = {};
}

// There was no memory to go on.
void multi_operation::give_up() noexcept {
    given_up_ = true;
    try {
        perform(machine_.cancel());
    } catch (...) {
    }
    for (std::size_t which = 0; which < parts_.size(); ++which)
        release(which);
    try {
        complete(asio::error::no_memory);
    } catch (...) { // the handler is destroyed uninvoked
    }
}

} // namespace turnstile::detail
