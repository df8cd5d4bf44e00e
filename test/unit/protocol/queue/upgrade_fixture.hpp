// SPDX-License-Identifier: BSL-1.0
// What is asked and answered on the way from reader to writer.
#pragma once

#include "unit/protocol/machine_fixture.hpp"

namespace turnstile::test::upgrading {

inline const auto the_question = "transact check " + reader_path(0) + "; set /l";
inline const auto the_upgrade = the_question + "; sequential /l/turn-5-lock-";

// To the question: this many stand there.
inline protocol::reply children(std::int32_t count) {
    return {.results = {{}, {.stat = {.czxid = 5, .mzxid = 150, .children = count}}}};
}
// To the upgrade: the ticket made, and how many stood there before it.
inline protocol::reply made(std::int32_t sequence, std::int32_t count) {
    return {.results = {{},
                        {.stat = {.czxid = 5, .mzxid = 100 + sequence, .children = count}},
                        {.path = ticket_path(sequence)}}};
}
inline protocol::reply refused_step(std::size_t step, std::size_t steps,
                                    protocol::zookeeper_code why) {
    protocol::reply answer{.code = why};
    for (std::size_t i = 0; i < steps; ++i)
        answer.results.push_back({.code = i < step ? protocol::zookeeper_code::ok
                                          : i == step
                                              ? why
                                              : protocol::zookeeper_code::runtime_inconsistency});
    return answer;
}

// Ticket 1 holds the lock to read, at sequence 0.
inline void read(machine_fixture& f) {
    f.connect();
    f.acquire_shared(1);
    f.reply("get /l", replies::folder(5));
    f.reader_enqueued(0, 0);
    REQUIRE(f.events() == texts{"granted 1 token 100"});
}

// It is on its way to become a writer, by ticket 9.
inline void begin_upgrade(machine_fixture& f) {
    f.upgrade(1, 9);
    f.reply(the_question, children(1));
    REQUIRE(f.events().empty());
    REQUIRE(f.open() == texts{the_upgrade});
}

inline void end_upgrade(machine_fixture& f) {
    f.reply(the_upgrade, made(1, 1));
    REQUIRE(f.events() == texts{"upgraded 1 none token 101"});
}

} // namespace turnstile::test::upgrading
