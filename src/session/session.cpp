// SPDX-License-Identifier: BSL-1.0
#include <turnstile/session.hpp>

#include "session/session_impl.hpp"

#include <boost/asio/execution/bad_executor.hpp>

namespace turnstile {

const boost::asio::any_io_executor& detail::executor_of(const session_impl& owner) noexcept {
    return owner.executor();
}

namespace {

boost::asio::any_io_executor checked(boost::asio::any_io_executor executor) {
    if (!executor)
        throw boost::asio::execution::bad_executor();
    return executor;
}

} // namespace

session::session(executor_type executor, session_options options, detail::this_build)
    : impl_(detail::session_impl::make(checked(std::move(executor)), std::move(options))) {}

session& session::operator=(session&& other) noexcept {
    if (this != &other) {
        if (impl_)
            impl_->stop();
        impl_ = std::move(other.impl_);
    }
    return *this;
}

session::~session() {
    if (impl_)
        impl_->stop();
}

session::executor_type session::get_executor() const noexcept { return impl_->executor(); }
session_state session::state() const noexcept { return impl_->state(); }
std::int64_t session::id() const noexcept { return impl_->session_id(); }
std::chrono::milliseconds session::negotiated_timeout() const noexcept { return impl_->timeout(); }
session_key session::key() const { return impl_->key(); }

error_code session::set_servers(const std::string& servers, diagnostics* told) {
    return impl_->set_servers(servers, told);
}

session_usage session::usage() const noexcept { return impl_->usage(); }

void session::start_connect(const impl_ptr& impl, handler done) { impl->connect(std::move(done)); }

void session::start_close(const impl_ptr& impl, handler done) { impl->close(std::move(done)); }

void session::start_wait(const impl_ptr& impl, session_state known, state_handler done) {
    impl->wait_state_change(known, std::move(done));
}

} // namespace turnstile
