#include "locks/session_impl.hpp"

#include "locks/failure_codes.hpp"
#include "locks/option_check.hpp"
#include "locks/session_service.hpp"
#include "locks/user_call.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

std::shared_ptr<session_impl> session_impl::make(executor_type executor, session_options options) {
    return std::make_shared<session_impl>(std::move(executor), std::move(options));
}

session_impl::session_impl(executor_type executor, session_options options)
    : home_(std::move(executor)),
      options_(std::move(options)),
      option_error_(check_options(options_)),
      log_(options_.log) {
    if (!option_error_)
        driver_ = session_driver::make(home_.plain, options_,
                                       *protocol::server_list::parse(options_.servers), *this);
    // After the driver, so that its services shut down later than ours; without one for the sake of
    // the executor, which is of use as long as the context only.
    service_ =
        &asio::use_service<session_service>(asio::query(home_.plain, asio::execution::context));
    service_->add(*this);
}

session_impl::~session_impl() {
    if (service_)
        service_->remove(*this);
    leave_to_parent();
}

bool session_impl::is_forked() const { return !process_.is_here(); }

error_code session_impl::refusal() const {
    if (is_forked())
        return error::forked;
    return option_error_;
}

error_code session_impl::refusal_of_work() const {
    return failed_ ? error_code(error::session_closed) : refusal();
}

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
        asio::post(driver_->strand(), std::move(work));
    else
        asio::dispatch(driver_->strand(), std::move(work));
}

// For what nobody can be told the failure of.
template <class Function>
void session_impl::enter_or_doom(Function function) noexcept {
    try {
        enter(std::move(function));
    } catch (...) {
        driver_->doom();
    }
}

template <class Signature>
void session_impl::make_cancellable(const erased_handler<Signature>& handler, operation_id id) {
    auto slot = asio::get_associated_cancellation_slot(handler.handler);
    if (!slot.is_connected())
        return;
    // Whatever the type: an acquire leaves nothing behind, the others only stop waiting. It may be
    // called when the operation is over, or the session gone: ids are never used again.
    slot.assign([weak = weak_from_this(), id](asio::cancellation_type_t type) {
        const auto self = weak.lock();
        if (self && type != asio::cancellation_type::none)
            self->enter([id](session_impl& impl) { impl.cancel(id); });
    });
}

// Work on the handler's executor from the start: the strand may take its time.
template <class... Args>
pending_operation<Args...> session_impl::pending_of(erased_handler<void(Args...)> handler) const {
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

void session_impl::connect(plain_handler handler) {
    const auto id = next_id();
    if (refuse(refusal_of_work(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.connects_.add(id, std::move(pending));
        impl.driver_->connect();
    });
}

void session_impl::close(plain_handler handler) {
    const auto id = next_id();
    if ((option_error_ || failed_) && !is_orphaned()) { // nothing is open
        pending_operation<error_code>(std::move(handler), home_).complete(home_, {});
        return;
    }
    if (refuse(refusal(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.closes_.add(id, std::move(pending));
        impl.driver_->close();
    });
}

void session_impl::wait_state_change(session_state known, state_handler handler) {
    const auto id = next_id();
    if (refuse(refusal(), handler, state()))
        return;
    make_cancellable(handler, id);
    enter([id, known, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.state_waits_.add(id, std::move(pending));
        if (impl.state() != known)
            impl.state_waits_.complete(id, impl.home_, {}, impl.state());
        else if (known == session_state::closed) // it stays closed
            impl.state_waits_.complete(id, impl.home_, error::session_closed, known);
    });
}

namespace {

protocol::acquire_request request_of(const acquire_manner& how, const std::string& path) {
    return {.path = path,
            .kind = how.shared ? protocol::ticket_kind::shared : protocol::ticket_kind::exclusive,
            .patient = how.patient,
            .limit = how.limit,
            .single_node = how.single_node};
}

} // namespace

void session_impl::acquire(const acquire_manner& how, const error_code& bad,
                           std::shared_ptr<lock_record> of, acquire_handler handler) {
    const auto id = next_id();
    if (handler.told)
        handler.told->path = of->path;
    if (refuse(bad ? bad : refusal_of_work(), handler, held_lock()))
        return;
    make_cancellable(handler, id);
    const auto began = lease_clock::now();
    // Without the path's text: what goes to the strand is moved several times on its way.
    enter([id, began, how, of = std::move(of),
           pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        const auto what = request_of(how, of->path);
        const auto group = of->group;
        impl.count(*of, &usage_meter::acquires);
        impl.acquires_.add(id, group, pending_acquire(std::move(pending), std::move(of), began));
        impl.driver_->acquire(id, what);
    });
}

std::shared_ptr<ticket_lock> session_impl::share(const std::shared_ptr<ticket_lock>& lock,
                                                 const std::shared_ptr<ticket_lock>& first) {
    auto further = std::make_shared<ticket_lock>(first, next_id());
    if (!is_forked())
        enter([lock, further](session_impl& impl) {
            impl.driver_->share(lock->id(), further->id());
            if (!impl.locks_.holds(lock->id()))
                return; // it is lost, and all its handles know
            impl.locks_.granted(further);
            ++further->handles();
        });
    return further;
}

void session_impl::downgrade(const std::shared_ptr<ticket_lock>& lock, plain_handler handler) {
    const auto id = next_id();
    if (refuse(refusal_of_work(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, lock, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        if (impl.locks_.await_downgrade(*lock, id, std::move(pending)))
            impl.driver_->downgrade(lock->id());
    });
}

void session_impl::release(const std::shared_ptr<ticket_lock>& lock, plain_handler handler) {
    const auto id = next_id();
    if (refuse(refusal_of_work(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, lock, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.locks_.await_release(lock->id(), id, std::move(pending));
        if (lock->loss() != protocol::failure::none)
            impl.locks_.released(lock->id(), to_error_code(lock->loss()));
        impl.let_go(*lock);
    });
}

void session_impl::release(const std::shared_ptr<ticket_lock>& lock) noexcept {
    if (!driver_ || is_forked())
        return;
    enter_or_doom([lock](session_impl& impl) { impl.let_go(*lock); });
}

void session_impl::warn_of_drop(const std::shared_ptr<lock_record>& of) noexcept {
    if (driver_ && !is_forked())
        enter_or_doom([of](session_impl& impl) { impl.on_drop(of->path); });
}

void session_impl::await_loss(const std::shared_ptr<ticket_lock>& lock, plain_handler handler) {
    const auto id = next_id();
    if (refuse(refusal_of_work(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, lock, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.locks_.await_loss(*lock, id, std::move(pending));
    });
}

void session_impl::await_risk(const std::shared_ptr<ticket_lock>& lock, plain_handler handler) {
    const auto id = next_id();
    if (refuse(refusal_of_work(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, lock, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.locks_.await_risk(*lock, id, std::move(pending));
    });
}

void session_impl::participants(std::string path, std::size_t most, const error_code& bad,
                                operation_id group, survey_handler handler) {
    const auto id = next_id();
    if (refuse(bad ? bad : refusal_of_work(), handler, {}))
        return;
    make_cancellable(handler, id);
    enter([id, group, most, path = std::move(path),
           pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.surveyors_.add(id, group, std::move(pending));
        impl.surveys_.begin(id, std::move(path), most);
        impl.ask_next(id);
    });
}

void session_impl::ask_next(operation_id survey) {
    for (const auto& question : surveys_.next(survey)) {
        if (!surveys_.contains(survey))
            return; // the session is closed, and said so to the question before
        const auto inquiry = next_id();
        surveys_.asked(survey, inquiry, question.number);
        driver_->inquire(inquiry, question.what);
    }
}

// The machine is at work here: what is asked next is asked in a turn of its own.
void session_impl::on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer) {
    const auto survey = surveys_.on_answer(inquiry, answer);
    if (!survey)
        return; // it is over
    if (surveys_.over(*survey))
        return end_survey(*survey);
    if (surveys_.has_next(*survey))
        enter([id = *survey](session_impl& impl) { impl.ask_next(id); });
}

bool session_impl::cancel_survey(operation_id id) {
    if (!surveys_.contains(id))
        return false;
    for (const auto inquiry : surveys_.end(id).open)
        driver_->cancel(inquiry);
    return surveyors_.complete(id, home_, asio::error::operation_aborted, {});
}

void session_impl::cancel(operation_id id) {
    const error_code aborted = asio::error::operation_aborted;
    if (acquires_.contains(id))
        return driver_->cancel(id);
    if (cancel_survey(id))
        return;
    if (connects_.complete(id, home_, aborted)) {
        if (connects_.empty())
            driver_->cancel_connect();
        return;
    }
    if (closes_.complete(id, home_, aborted) || state_waits_.complete(id, home_, aborted, state()))
        return;
    locks_.cancel(id, aborted);
}

void session_impl::complete_not_held(plain_handler handler) { refuse(error::not_held, handler); }

void session_impl::cancel_group(operation_id group) noexcept {
    if (!driver_ || is_forked())
        return;
    enter_or_doom([group](session_impl& impl) {
        for (const auto id : impl.acquires_.members(group))
            impl.driver_->cancel(id);
        for (const auto id : impl.surveyors_.members(group))
            impl.cancel_survey(id);
    });
}

void session_impl::stop() noexcept {
    is_ownerless_ = true;
    if (!driver_ || is_forked())
        return;
    enter_or_doom([](session_impl& impl) {
        impl.driver_->stop();
        impl.end(error::session_closed);
    });
}

} // namespace turnstile::detail
