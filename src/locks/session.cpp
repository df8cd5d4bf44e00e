#include <turnstile/session.hpp>

#include "locks/session_core.hpp"

#include <boost/asio/execution/bad_executor.hpp>

#include <utility>

namespace turnstile {

namespace {

boost::asio::any_io_executor checked(boost::asio::any_io_executor executor) {
    if (!executor)
        throw boost::asio::execution::bad_executor();
    return executor;
}

} // namespace

session::session(executor_type executor, session_options options)
    : core_(detail::session_core::make(checked(std::move(executor)), std::move(options))) {}

session& session::operator=(session&& other) noexcept {
    if (this != &other) {
        if (core_)
            core_->stop();
        core_ = std::move(other.core_);
    }
    return *this;
}

session::~session() {
    if (core_)
        core_->stop();
}

session::executor_type session::get_executor() const noexcept { return core_->executor(); }
session_state session::state() const noexcept { return core_->state(); }
std::int64_t session::id() const noexcept { return core_->session_id(); }
std::chrono::milliseconds session::negotiated_timeout() const noexcept { return core_->timeout(); }

void session::start_connect(const core_ptr& core, handler done) { core->connect(std::move(done)); }

void session::start_close(const core_ptr& core, handler done) { core->close(std::move(done)); }

void session::start_wait(const core_ptr& core, session_state known, state_handler done) {
    core->wait_state_change(known, std::move(done));
}

} // namespace turnstile
