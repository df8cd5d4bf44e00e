// SPDX-License-Identifier: BSL-1.0
#include "locks/session_impl.hpp"

#include "locks/failure_codes.hpp"
#include "locks/option_check.hpp"
#include "locks/session_impl_entry.hpp"
#include "locks/session_service.hpp"

#include <boost/asio/error.hpp>
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
    if (!option_error_) {
        driver_ = session_driver::make(home_.plain, options_,
                                       *protocol::server_list::parse(options_.servers), *this);
    }
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
        pending_operation<error_code>(std::move(handler), home_).complete(home_, error_code());
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

protocol::acquire_request request_of(const acquire_manner& how, const lock_record& of) {
    const auto limit_set = of.limit_in_force();
    const bool follows = how.states_limit && limit_set > 0;
    return {.path = of.path,
            .kind = how.shared ? protocol::ticket_kind::shared : protocol::ticket_kind::exclusive,
            .naming = how.names == lock_names::curator ? protocol::ticket_naming::curator
                                                       : protocol::ticket_naming::lock,
            .patient = how.patient,
            .limit = how.limit.left(),
            .single_node = how.single_node,
            .incarnation = how.incarnation,
            .leases = how.permits,
            .stated_limit = how.states_limit ? std::optional(follows ? limit_set : how.stated_limit)
                                             : std::nullopt,
            .later_part = how.later_part};
}

} // namespace

// `bad`: what is wrong with the path.
error_code session_impl::refusal_of(const acquire_manner& how, const error_code& bad,
                                    const std::string& path) const {
    const auto too_large =
        how.permits > 1 && !bad ? check_leases(options_, path, how.permits) : error_code();
    return bad ? bad : too_large ? too_large : refusal_of_work();
}

void session_impl::acquire(const acquire_manner& how, const error_code& bad,
                           std::shared_ptr<lock_record> of, acquire_handler&& handler) {
    const auto id = next_id();
    tell_path(handler.told, of->path);
    if (refuse(refusal_of(how, bad, of->path), handler, held_lock()))
        return;
    make_cancellable(handler, id);
    const auto began = lease_clock::now();
    // Without the path's text: what goes to the strand is moved several times on its way.
    enter([id, began, how, of = std::move(of),
           pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        const auto what = request_of(how, *of);
        const auto group = of->group;
        impl.count(*of, &usage_meter::acquires);
        impl.acquires_.add(id, group, std::move(pending), std::move(of), began);
        impl.driver_->acquire(id, what);
    });
}

void session_impl::acquire(std::vector<one_of_several> together) {
    struct member {
        operation_id id;
        acquire_manner how;
        pending_acquire pending;
    };
    std::vector<member> members;
    members.reserve(together.size());
    const auto began = lease_clock::now();
    for (auto& each : together) {
        const auto id = next_id();
        tell_path(each.handler.told, each.of->path);
        if (refuse(refusal_of_work(), each.handler, held_lock()))
            continue;
        make_cancellable(each.handler, id);
        members.push_back(
            {id, each.how, {pending_of(std::move(each.handler)), std::move(each.of), began}});
    }
    enter([members = std::move(members)](session_impl& impl) mutable {
        std::vector<protocol::session_machine::one_of_several> wishes;
        wishes.reserve(members.size());
        for (auto& [id, how, pending] : members) {
            const auto& of = *pending.of();
            const auto group = of.group;
            wishes.push_back({id, request_of(how, of)});
            impl.count(*pending.of(), &usage_meter::acquires);
            impl.acquires_.add(id, group, std::move(pending));
        }
        impl.driver_->acquire(wishes);
    });
}

void session_impl::look_up(const acquire_manner& how, const error_code& bad,
                           const std::shared_ptr<lock_record>& of, lookup_handler handler) {
    const auto id = next_id();
    tell_path(handler.told, of->path);
    if (refuse(refusal_of(how, bad, of->path), handler, protocol::lock_key()))
        return;
    make_cancellable(handler, id);
    enter([id, how, of, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        const auto what = request_of(how, *of);
        impl.lookups_.add(id, std::move(pending));
        impl.driver_->look_up(id, what);
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
    tell_path(handler.told, lock->of()->path);
    if (refuse(refusal_of_work(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, lock, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        if (impl.locks_.await_downgrade(*lock, id, std::move(pending)))
            impl.driver_->downgrade(lock->id());
    });
}

void session_impl::try_upgrade(const std::shared_ptr<ticket_lock>& lock, plain_handler handler) {
    const auto id = next_id();
    tell_path(handler.told, lock->of()->path);
    if (refuse(refusal_of_work(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, lock, pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        if (impl.locks_.await_upgrade(*lock, id, std::move(pending)))
            impl.driver_->upgrade(lock->id(), id);
    });
}

void session_impl::release(std::shared_ptr<ticket_lock> lock, plain_handler&& handler) {
    const auto id = next_id();
    tell_path(handler.told, lock->of()->path);
    if (refuse(refusal_of_work(), handler))
        return;
    make_cancellable(handler, id);
    enter([id, lock = std::move(lock),
           pending = pending_of(std::move(handler))](session_impl& impl) mutable {
        impl.locks_.await_release(lock->id(), id, std::move(pending));
        if (lock->loss() != protocol::failure::none)
            impl.locks_.released(lock->id(), to_error_code(lock->loss()));
        impl.let_go(*lock);
    });
}

void session_impl::release(const std::shared_ptr<ticket_lock>& lock) noexcept {
    if (!driver_ || is_forked())
        return;
    enter([lock](session_impl& impl) { impl.let_go(*lock); });
}

void session_impl::warn_of_drop(const std::shared_ptr<lock_record>& of) noexcept {
    if (driver_ && !is_forked())
        enter([of](session_impl& impl) { impl.on_drop(of->path); });
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

void session_impl::cancel(operation_id id) {
    const error_code aborted = asio::error::operation_aborted;
    if (acquires_.contains(id) || lookups_.contains(id))
        return driver_->cancel(id);
    if (const auto lock = locks_.upgraded_by(id))
        return driver_->cancel(*lock);
    if (cancel_survey(id) || cancel_change(id))
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
    enter([group](session_impl& impl) {
        for (const auto id : impl.acquires_.members(group))
            impl.driver_->cancel(id);
        for (const auto id : impl.surveyors_.members(group))
            impl.cancel_survey(id);
        for (const auto id : impl.changes_.members(group))
            impl.cancel_change(id);
    });
}

void session_impl::stop() noexcept {
    is_ownerless_ = true;
    if (!driver_ || is_forked())
        return;
    enter([](session_impl& impl) {
        impl.driver_->stop();
        impl.end(error::session_closed);
    });
}

} // namespace turnstile::detail
