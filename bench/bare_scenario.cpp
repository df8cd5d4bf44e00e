// SPDX-License-Identifier: BSL-1.0
#include "bare_api.hpp"
#include "bare_client.hpp"
#include "progress.hpp"
#include "scenarios.hpp"

#include <array>
#include <utility>

namespace turnstile::bench {

namespace {

constexpr const char* bare_directory = "/bench/bare-client";
constexpr const char* semaphore_directory = "/bench/bare-client-semaphore";

template <class Function>
void timed(sample& times, Function function) {
    const auto start = clock::now();
    function();
    times.add(clock::now() - start);
}

/// What is measured of one copy of the C client.
class request_times {
public:
    request_times(const target& server, const bare_api& through)
        : through_(through), one_(server.first(), through), other_(server.first(), through) {
        one_.make_directory(bare_directory);
        for (const auto* name : {"/limit", "/queue", "/leases"})
            one_.make_directory(semaphore_directory + std::string(name));
    }

    void run_once() {
        const auto prefix = std::string(bare_directory) + "/turn-1-lock-";
        std::string node;
        timed(times_[0], [&] { node = one_.create(prefix); });
        timed(times_[1], [&] { one_.exists(node); });
        timed(times_[2], [&] { one_.remove(node); });
        node = one_.create(prefix);
        timed(times_[3], [&] { one_.set_and_delete(node); });
        times_[4].add(bare_client::hand_off(one_, other_, bare_directory));
        times_[5].add(bare_client::hand_lease_on(one_, other_, semaphore_directory));
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
    rows result(const request_times& bare) const {
        auto all = result();
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].set_ratio(times_.at(i), bare.times_.at(i));
        return all;
    }

private:
    static constexpr std::array scenarios{
        "bare-client-create", "bare-client-exists",         "bare-client-delete",
        "bare-client-multi",  "bare-client-multi-to-event", "bare-client-permit-to-permit"};

    const bare_api& through_;
    bare_client one_;
    bare_client other_;
    std::array<sample, scenarios.size()> times_;
};

} // namespace

rows measure_bare_client(const target& server, std::size_t iterations) {
    progress shown("bare-client");
    request_times plain(server, plain_api);
    request_times redirected(server, redirected_api);
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
    bare_client one(server.first());
    bare_client other(server.first());
    one.make_directory(bare_directory);
    for (std::size_t i = 0; i < rounds; ++i) {
        bare_client::hand_off(one, other, bare_directory);
        one.exists(bare_directory);
        shown.at(i, rounds);
    }
    measure_uncontended(server, {}, rounds);
    measure_wakeup(server, {}, {.waiters = rounds, .sessions = 4, .hand_offs = rounds});
}

} // namespace turnstile::bench
