#include "limit_api.hpp"
#include "limit_client.hpp"
#include "progress.hpp"
#include "scenarios.hpp"

#include <array>
#include <utility>

namespace turnstile::bench {

namespace {

constexpr const char* limit_directory = "/bench/limit";
constexpr const char* semaphore_directory = "/bench/limit-semaphore";

template <class Function>
void timed(sample& times, Function function) {
    const auto start = clock::now();
    function();
    times.add(clock::now() - start);
}

/// What is measured of one copy of the C client.
class bare_client {
public:
    bare_client(const target& server, const limit_api& through)
        : through_(through), one_(server.first(), through), other_(server.first(), through) {
        one_.make_directory(limit_directory);
        for (const auto* name : {"/limit", "/queue", "/leases"})
            one_.make_directory(semaphore_directory + std::string(name));
    }

    void run_once() {
        const auto prefix = std::string(limit_directory) + "/turn-1-lock-";
        std::string node;
        timed(times_[0], [&] { node = one_.create(prefix); });
        timed(times_[1], [&] { one_.exists(node); });
        timed(times_[2], [&] { one_.remove(node); });
        node = one_.create(prefix);
        timed(times_[3], [&] { one_.set_and_delete(node); });
        times_[4].add(limit_client::hand_off(one_, other_, limit_directory));
        times_[5].add(limit_client::hand_lease_on(one_, other_, semaphore_directory));
    }

    rows result() const {
        rows all;
        for (std::size_t i = 0; i < scenarios.size(); ++i) {
            auto& next =
                all.emplace_back(row{.scenario = scenarios.at(i), .strategy = through_.strategy});
            next.set_times(times_.at(i));
        }
        return all;
    }
    /// Of samples that were measured alternately with these.
    rows result(const bare_client& limit) const {
        auto all = result();
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].set_ratio(times_.at(i), limit.times_.at(i));
        return all;
    }

private:
    static constexpr std::array scenarios{"limit-create",         "limit-exists",
                                          "limit-delete",         "limit-multi",
                                          "limit-multi-to-event", "limit-lease-to-lease"};

    const limit_api& through_;
    limit_client one_;
    limit_client other_;
    std::array<sample, scenarios.size()> times_;
};

} // namespace

rows measure_limit(const target& server, std::size_t iterations) {
    progress shown("limit");
    bare_client plain(server, plain_api);
    bare_client redirected(server, redirected_api);
    for (std::size_t i = 0; i < iterations; ++i) {
        plain.run_once();
        redirected.run_once();
        shown.at(i, iterations);
    }
    auto result = plain.result();
    for (auto& each : redirected.result(plain))
        result.push_back(std::move(each));
    return result;
}

void warm_up(const target& server, std::size_t rounds) {
    progress shown("warm-up");
    limit_client one(server.first());
    limit_client other(server.first());
    one.make_directory(limit_directory);
    for (std::size_t i = 0; i < rounds; ++i) {
        limit_client::hand_off(one, other, limit_directory);
        one.exists(limit_directory);
        shown.at(i, rounds);
    }
    measure_uncontended(server, {}, rounds);
    measure_wakeup(server, {}, {.waiters = rounds, .sessions = 4, .hand_offs = rounds});
}

} // namespace turnstile::bench
