// SPDX-License-Identifier: BSL-1.0
// A small run with a semaphore of three leases (permits), for tests that change it.
#pragma once

#include "check/story.hpp"
#include "support/pch.hpp"

namespace turnstile::check {

inline constexpr const char* leases_lock = "/l/s";

/// The node of a lease of session 0xSESSION. `kind`: "try", or "take" if it was taken in line.
inline std::string lease_node(const std::string& kind, int session, int number) {
    return std::string{leases_lock} + "/leases/" + kind + "-3-" + std::to_string(session) +
           "-1-lease-000000000" + std::to_string(number);
}

/// The node of a ticket in the semaphore's line.
inline std::string place_node(int number) {
    std::string result{leases_lock}; // gcc 12 warns of the sum, wrongly
    result += "/queue/turn-3-lock-000000000";
    result += std::to_string(number);
    return result;
}

/// A good story, and functions that tell of leases in it.
struct lease_story : story {
    using parts = std::vector<part>;

    lease_story() : story{story::good()} {
        unlog(0x16); // the sessions' ends: here they come later
        unlog(0x17);
    }

    // Lines of a history, about leases_lock. `id`: the acquire.
    void asks(std::int64_t ms, const std::string& who, int id, int takes) {
        say(ms, who, "ask",
            {{"id", id},
             {"lock", leases_lock},
             {"kind", "semaphore"},
             {"takes", takes},
             {"places", 3}});
    }
    void granted(std::int64_t ms, const std::string& who, int id, const std::string& token) {
        say(ms, who, "grant",
            {{"id", id},
             {"lock", leases_lock},
             {"kind", "semaphore"},
             {"token", "00000000000000" + token + "-0000000000000000"},
             {"session", who == "worker-1" ? "11" : "22"}});
    }
    void lets_go(std::int64_t ms, const std::string& who, int id) {
        say(ms, who, "release", {{"id", id}});
        say(ms + 10, who, "released", {{"id", id}, {"code", "system:0 Success"}});
    }
    /// The transaction of a session that tries to get leases without a place in line.
    void tries(std::int64_t zxid, std::int64_t session, parts made) {
        made.insert(made.begin(), {{"check", std::string{leases_lock} + "/limit"},
                                   {"setData", std::string{leases_lock} + "/queue"},
                                   {"setData", std::string{leases_lock} + "/leases"}});
        transact(zxid, session, made);
    }

    /// Breaks no rule. Of three leases worker-1 gets one at 400 ms (acquire 3), and worker-2 two at
    /// 410 ms (4). Then worker-1 stands in line for three (5), and gets them at 600 ms, when the
    /// others are back. Transactions:
    /// - 0x20, 0x21: the leases of 3 and 4 are made
    /// - 0x22, 0x23: 5 tries, and takes its try back
    /// - 0x24: 5 stands in line
    /// - 0x25, 0x26: 3 and 4 give their leases back
    /// - 0x27, 0x28: 5 takes three leases in line, and gives them back
    /// - 0x30, 0x31: the sessions are closed
    static lease_story good() {
        lease_story s;
        s.asks(390, "worker-1", 3, 1);
        s.granted(400, "worker-1", 3, "20");
        s.asks(400, "worker-2", 4, 2);
        s.granted(410, "worker-2", 4, "21");
        s.asks(420, "worker-1", 5, 3);
        s.lets_go(500, "worker-1", 3);
        s.lets_go(550, "worker-2", 4);
        s.granted(600, "worker-1", 5, "27");
        s.lets_go(700, "worker-1", 5);

        s.tries(0x20, 0x11, {{"create", lease_node("try", 11, 0), "s-1"}});
        s.tries(0x21, 0x22,
                {{"create", lease_node("try", 22, 1), "s-2"},
                 {"create", lease_node("try", 22, 2), "s-2"}});
        s.tries(0x22, 0x11, {{"create", lease_node("try", 11, 3), "s-3"}});
        s.transact(0x23, 0x11, {{"delete", lease_node("try", 11, 3)}});
        s.transact(
            0x24, 0x11,
            {{"setData", std::string{leases_lock} + "/queue"}, {"create", place_node(0), "s-3"}});
        s.transact(0x25, 0x11, {{"delete", lease_node("try", 11, 0)}});
        s.transact(0x26, 0x22,
                   {{"delete", lease_node("try", 22, 1)}, {"delete", lease_node("try", 22, 2)}});
        s.transact(0x27, 0x11,
                   {{"check", std::string{leases_lock} + "/limit"},
                    {"setData", place_node(0)},
                    {"delete", place_node(0)},
                    {"create", lease_node("take", 11, 4), "s-3"},
                    {"create", lease_node("take", 11, 5), "s-3"},
                    {"create", lease_node("take", 11, 6), "s-3"}});
        s.gives_back(0x28);
        s.close(0x30, 0x11);
        s.close(0x31, 0x22);
        return s;
    }

    /// worker-1 gives back the leases that it took in line.
    void gives_back(std::int64_t zxid) {
        transact(zxid, 0x11,
                 {{"delete", lease_node("take", 11, 4)},
                  {"delete", lease_node("take", 11, 5)},
                  {"delete", lease_node("take", 11, 6)}});
    }
};

} // namespace turnstile::check
