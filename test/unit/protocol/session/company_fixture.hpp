// SPDX-License-Identifier: BSL-1.0
// A session machine that takes several locks in one transaction.
#pragma once

#include "unit/protocol/machine_fixture.hpp"

namespace turnstile::test {

/// `asks_for` begins a test; so does `connect` with a `take`.
struct taker_of_several : machine_fixture {
    using machine_fixture::machine_fixture;

    /// Tickets 1 to `count` for the paths /a, /b, ..., whose incarnations are known.
    void take(int count, bool patient = true, std::optional<protocol::duration> limit = {}) {
        std::vector<protocol::session_machine::one_of_several> together;
        for (int number = 1; number <= count; ++number) {
            together.push_back(
                {static_cast<protocol::ticket_id>(number),
                 {.path = path_of(number), .patient = patient, .limit = limit, .incarnation = 5}});
        }
        machine.acquire(now, together);
    }
    void asks_for(int count, bool patient = true) {
        connect();
        take(count, patient);
    }
    static std::string path_of(int number) {
        return std::string("/") + static_cast<char>('a' + number - 1);
    }
    static std::string node_of(int number, std::int32_t sequence = 0) {
        return path_of(number) + "/turn-5-lock-" + digits(sequence);
    }
    static std::string steps(int count) {
        std::vector<protocol::transaction_step> all;
        for (int number = 1; number <= count; ++number) {
            all.push_back({.what = protocol::step_kind::set, .path = path_of(number)});
            all.push_back({.what = protocol::step_kind::create_sequential,
                           .path = path_of(number) + "/turn-5-lock-"});
        }
        return "transact " + texts_of_steps(all);
    }
    /// The transaction is carried out; this many stood at each path before.
    void made(const std::vector<std::int32_t>& others, std::int64_t incarnation = 5) {
        protocol::reply answer;
        int number = 0;
        for (const auto count : others) {
            ++number;
            answer.results.push_back(
                {.stat = {.czxid = incarnation, .mzxid = 100, .children = count}});
            answer.results.push_back({.path = node_of(number, count)});
        }
        reply(steps(number), answer);
    }
    void refused(int count, int step, protocol::zookeeper_code why) {
        protocol::reply answer{.code = why};
        for (int each = 0; each < 2 * count; ++each)
            answer.results.push_back(
                {.code = each < step    ? protocol::zookeeper_code::ok
                         : each == step ? why
                                        : protocol::zookeeper_code::runtime_inconsistency});
        reply(steps(count), answer);
    }
};

} // namespace turnstile::test
