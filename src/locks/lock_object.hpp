// SPDX-License-Identifier: BSL-1.0
// What a lock object of any kind is made of: its session, its path, and its acquires.
#pragma once

#include "locks/described_error.hpp"
#include "locks/option_check.hpp"
#include "locks/participant_view.hpp"
#include "locks/session_impl.hpp"

#include <turnstile/detail/acquire_manner.hpp>
#include <turnstile/error.hpp>

#include <boost/asio/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace turnstile::detail {

/// The kind of lock says with each acquire how its ticket stands in line; what comes after that is
/// the same for all of them.
class lock_object {
public:
    lock_object(std::shared_ptr<session_impl> session, std::string path,
                std::shared_ptr<lock_record> made_from = {})
        : session_(std::move(session)),
          record_(std::make_shared<lock_record>(std::move(path), session_->next_id(),
                                                std::move(made_from))),
          path_error_(check_path(this->path())) {}

    /// Another object for the same lock. What this one sets counts there, too.
    std::shared_ptr<lock_object> twin() const {
        return std::make_shared<lock_object>(session_, path(), record_);
    }
    const std::string& path() const { return record_->path; }
    lock_usage usage() const { return record_->usage.read(); }
    const session_impl::executor_type& executor() const { return session_->executor(); }

    void acquire(const acquire_manner& how, session_impl::acquire_handler&& done) {
        session_->acquire(how, path_error_, record_, std::move(done));
    }
    const std::shared_ptr<session_impl>& session() const { return session_; }
    /// For an acquire together with others of the session.
    session_impl::one_of_several wish(const acquire_manner& how,
                                      session_impl::acquire_handler done) const {
        return {how, record_, std::move(done)};
    }
    /// What is wrong with the path.
    const error_code& bad() const { return path_error_; }
    void look_up(const acquire_manner& how, session_impl::lookup_handler done) {
        session_->look_up(how, path_error_, record_, std::move(done));
    }
    void participants(const survey_manner& how, session_impl::survey_handler done) {
        session_->participants(path(), how, path_error_, record_->group, std::move(done));
    }
    void evict(const participant& who, session_impl::plain_handler done) {
        const error_code unknown = who.known == participant::knowledge::told
                                       ? error_code()
                                       : boost::asio::error::invalid_argument;
        session_->change(removal_of(path(), who), path_error_ ? path_error_ : unknown, record_,
                         std::move(done));
    }
    // Of a semaphore.
    void set_limit(std::uint32_t limit, session_impl::plain_handler done) {
        const auto none =
            limit == 0 ? described(error::too_many, "a semaphore needs a limit of 1 at least")
                       : error_code();
        session_->change(protocol::semaphore_change::sets(path(), limit),
                         path_error_ ? path_error_ : none, record_, std::move(done));
    }
    void ask_limit(session_impl::limit_handler done) {
        session_->ask_limit(path_error_, record_, std::move(done));
    }
    void remove(session_impl::plain_handler done) {
        session_->change(protocol::semaphore_change::removes(path()), path_error_, record_,
                         std::move(done));
    }
    /// The lock object is gone: nobody awaits its operations any more.
    void cancel_all() noexcept { session_->cancel_group(record_->group); }

private:
    const std::shared_ptr<session_impl> session_;
    const std::shared_ptr<lock_record> record_;
    const error_code path_error_; // found out once, told by each acquire
};

} // namespace turnstile::detail
