#include "pump.hpp"

#include <utility>

namespace turnstile::test {

pumped pump_until(boost::asio::io_context& context, const std::function<bool()>& done,
                  std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        if (done())
            return pumped::done;
        if (std::chrono::steady_clock::now() >= end)
            return pumped::limit_over;
        context.restart();
        context.run_one_for(std::chrono::milliseconds{20});
        if (context.stopped())
            return done() ? pumped::done : pumped::nothing_left;
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
