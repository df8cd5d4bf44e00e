// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/sasl_login.hpp"

#include <utility>

namespace turnstile::zookeeper {

sasl_login::sasl_login(const session_strand& executor, std::shared_ptr<const sasl> how)
    : executor_(executor),
      how_(std::move(how)),
      worker_(std::make_shared<step_worker<sasl_step>>()) {}

void sasl_login::check(handler done) {
    worker_->start(
        executor_,
        [how = how_] {
            auto wrong = how->trouble();
            const bool unusable = !wrong.empty();
            return sasl_step{.wrong = std::move(wrong), .unusable = unusable};
        },
        std::move(done));
}

void sasl_login::begin(const std::string& server, handler done) {
    server_ = server;
    exchange_ = how_->with(server, refused_by_.contains(server));
    worker_->start(
        executor_, [exchange = exchange_] { return exchange->begin(); }, std::move(done));
}

void sasl_login::answer(std::string server_token, handler done) {
    worker_->start(
        executor_,
        [exchange = exchange_, token = std::move(server_token)] { return exchange->answer(token); },
        std::move(done));
}

void sasl_login::succeed() noexcept {
    refused_by_.erase(server_);
    cancel();
}

bool sasl_login::may_help_again() {
    return exchange_ && how_->has_tickets() && refused_by_.insert(server_).second;
}

bool sasl_login::is_busy() const { return worker_->is_heard(); }

void sasl_login::cancel() noexcept {
    worker_->forget();
    exchange_.reset();
}

} // namespace turnstile::zookeeper
