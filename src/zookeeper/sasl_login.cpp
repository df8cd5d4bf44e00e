// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/sasl_login.hpp"

#include "zookeeper/detached_thread.hpp"

#include <boost/asio/post.hpp>

#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

class sasl_login::worker : public std::enable_shared_from_this<worker> {
public:
    using work = std::function<sasl_step()>;

    // Takes the place of a step that waits, if one does.
    void start(const session_strand& on, work step, handler done) {
        {
            const std::lock_guard guard(mutex_);
            next_ = std::move(step);
            listener_.emplace(listener{on, std::move(done)});
            if (std::exchange(running_, true))
                return;
        }
        try {
            start_detached([self = shared_from_this()] { self->run(); });
        } catch (const std::system_error& refused) {
            const std::lock_guard guard(mutex_);
            running_ = false;
            next_ = nullptr;
            tell({.wrong = std::string("no thread can be started for SASL: ") + refused.what()});
        } catch (...) {
            const std::lock_guard guard(mutex_);
            running_ = false;
            throw;
        }
    }
    // Nothing touches the strand after this.
    void forget() noexcept {
        const std::lock_guard guard(mutex_);
        listener_.reset();
        next_ = nullptr;
    }
    bool is_heard() const {
        const std::lock_guard guard(mutex_);
        return listener_.has_value();
    }

private:
    struct listener {
        session_strand on;
        handler done;
    };

    void run() noexcept {
        std::unique_lock guard(mutex_);
        while (next_) {
            auto step = std::exchange(next_, nullptr);
            guard.unlock();
            sasl_step result;
            try {
                result = step();
            } catch (...) { // there is no memory
                result.wrong = "there was no memory for SASL";
            }
            step = nullptr; // destroys the exchange here, if its attempt is over
            guard.lock();
            if (!next_) // otherwise this attempt is over, and a step of the next one waits
                tell(std::move(result));
        }
        running_ = false;
    }

    // The mutex is held until the strand has the handler: when forget() returns, the context may
    // end.
    void tell(sasl_step result) noexcept {
        const auto last = std::exchange(listener_, std::nullopt);
        if (!last)
            return;
        try {
            asio::post(last->on, [done = last->done, result = std::move(result)] { done(result); });
        } catch (...) { // there is no memory: the attempt ends by its limit
        }
    }

    mutable std::mutex mutex_;
    bool running_ = false;
    work next_;
    std::optional<listener> listener_;
};

sasl_login::sasl_login(const session_strand& executor, std::shared_ptr<const sasl> how)
    : executor_(executor), how_(std::move(how)), worker_(std::make_shared<worker>()) {}

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
