#include "pump.hpp"

#include <thread>
#include <utility>

namespace turnstile::test {

namespace {

constexpr std::chrono::milliseconds pause{20};

} // namespace

pumped pump_until(boost::asio::io_context& context, const std::function<bool()>& done,
                  std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (bool nothing_left = false;;) {
        if (done())
            return pumped::done;
        if (std::chrono::steady_clock::now() >= end)
            return nothing_left ? pumped::nothing_left : pumped::limit_over;
        // A server may have more to do than this process, and it is not asked each time.
        if (nothing_left)
            std::this_thread::sleep_for(pause);
        context.restart();
        context.run_one_for(pause);
        nothing_left = context.stopped();
    }
}

std::function<bool()> now_and_then(std::function<bool()> ask) {
    using clock = std::chrono::steady_clock;
    return [ask = std::move(ask), next = clock::time_point{}]() mutable {
        if (clock::now() < next)
            return false;
        const bool yes = ask();
        next = clock::now() + std::chrono::milliseconds{2};
        return yes;
    };
}

} // namespace turnstile::test
