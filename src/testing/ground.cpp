// SPDX-License-Identifier: BSL-1.0
#include "testing/ground.hpp"

#include "testing/modelled_port.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

namespace turnstile::testing::detail {

using namespace std::chrono_literals;

namespace {

// Messages that are due within this time belong to one instant: the model sends those of one
// connection 1 us apart. Its timers are much longer.
constexpr protocol::duration same_instant = 100us;

// The constructor waits so long, in the model's time, for the server to serve.
constexpr protocol::duration longest_start = 60s;

test::model_limits limits_of(const ensemble_options& options) {
    if (options.timeout <= 0ms || options.tick <= 0ms)
        throw std::invalid_argument("turnstile::testing: timeout and tick must be above 0");
    return {.timeout = options.timeout, .tick = options.tick, .client_latency = 0ns};
}

// The timer of a session in the model's time. While it runs it is work for the context. When it is
// due, the model's event posts its call to the session's strand.
class modelled_timer final : public turnstile::detail::session_timer {
public:
    modelled_timer(ground& on, boost::asio::any_io_executor strand, std::function<void()> due)
        : ground_(on.weak_from_this()), strand_(std::move(strand)), due_(std::move(due)) {}

    void start(lease_clock::time_point at, const std::weak_ptr<void>& owner) override {
        const auto generation = ++generation_;
        const auto base = ground_.lock();
        if (!base)
            return;
        work_.emplace(strand_);
        base->events().at(at, [this, generation, owner] {
            if (owner.expired() || generation != generation_)
                return;
            boost::asio::post(strand_, [this, generation, owner] {
                const auto alive = owner.lock();
                if (!alive || generation != generation_)
                    return;
                work_.reset();
                due_();
            });
        });
        base->wake();
    }

    void cancel() noexcept override {
        ++generation_;
        work_.reset();
    }

private:
    std::weak_ptr<ground> ground_; // the test may end before the last handler
    boost::asio::any_io_executor strand_;
    std::function<void()> due_;
    std::optional<boost::asio::executor_work_guard<boost::asio::any_io_executor>> work_;
    std::uint64_t generation_ = 0; // of the last start or cancel: earlier starts are void
};

} // namespace

ground::ground(boost::asio::io_context& context, const ensemble_options& options)
    : context_(context),
      events_(lease_clock::now()),
      random_(options.seed),
      model_(events_, options.seed, 1, limits_of(options), [](const auto&, const auto&, auto) {}) {
    const auto latest = now() + longest_start;
    while (!model_.leader() && events_.step(latest)) {
    }
    clock_.set(now());
}

std::shared_ptr<zookeeper::session_port>
ground::make_port(const boost::asio::any_io_executor& strand, zookeeper::client_events& events) {
    ports_.push_back(std::make_shared<modelled_port>(*this, strand, events));
    return ports_.back();
}

std::unique_ptr<turnstile::detail::session_timer>
ground::make_timer(const boost::asio::any_io_executor& strand, std::function<void()> due) {
    return std::make_unique<modelled_timer>(*this, strand, std::move(due));
}

void ground::after(protocol::duration span, std::function<void()> due) {
    events_.at(now() + span, std::move(due));
}

void ground::wake() {
    if (std::exchange(awake_, true))
        return;
    boost::asio::post(context_, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->awake_ = false;
            self->run_due();
        }
    });
}

bool ground::run_due() {
    bool has_run = false;
    while (events_.step(now() + same_instant)) {
        clock_.set(now());
        has_run = true;
    }
    return has_run;
}

void ground::settle() {
    for (bool has_run = true; has_run;) {
        has_run = run_due();
        if (context_.stopped())
            context_.restart();
        has_run |= context_.poll() > 0;
    }
}

void ground::advance(protocol::duration by) {
    const auto end = now() + by;
    // Shared: an exception of a handler may end this function before the event comes.
    const auto arrived = std::make_shared<bool>(false);
    events_.at(end, [arrived] { *arrived = true; });
    settle();
    while (!*arrived) {
        events_.step(end);
        clock_.set(now());
        settle();
    }
}

modelled_port& ground::port_of(std::int64_t session) {
    const auto port = std::ranges::find_if(
        ports_, [&](const auto& each) { return session != 0 && each->session() == session; });
    if (port == ports_.end())
        throw std::invalid_argument("turnstile::testing: this session is not connected to the "
                                    "ensemble: let it connect first, on the ensemble's context");
    return **port;
}

} // namespace turnstile::testing::detail
