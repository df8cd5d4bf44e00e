// SPDX-License-Identifier: BSL-1.0
// A small run with readers and writers of /l/r, for tests that change it.
#pragma once

#include "check/story.hpp"
#include "support/pch.hpp"

namespace turnstile::check {

inline constexpr const char* readers_lock = "/l/r";
/// By this data a reader marks that no writer stands before its ticket.
inline constexpr const char* clear_data = "turnstile=1\nrequest=r\nclear=1\n";

inline std::string node_of_readers(const std::string& kind, int sequence) {
    std::string result{readers_lock}; // gcc 12 warns of the sum, wrongly
    result += "/turn-3-";
    result += kind;
    result += "-000000000";
    result += std::to_string(sequence);
    return result;
}
inline std::string writer_node(int sequence) { return node_of_readers("lock", sequence); }
inline std::string reader_node(int sequence) { return node_of_readers("read-lock", sequence); }
inline std::string downgraded_node(int sequence) {
    return node_of_readers("down-read-lock", sequence);
}

inline std::string token_of(std::int64_t zxid) {
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4)
        digits += "0123456789abcdef"[static_cast<std::size_t>(zxid >> shift) & 15U];
    return digits + "-0000000000000000";
}

/// A good story, and functions that tell of readers and writers in it.
struct shared_story : story {
    shared_story() : story{story::good()} {
        unlog(0x16); // the sessions' ends: here they come last
        unlog(0x17);
    }

    static std::string session_of(const std::string& who) {
        return who == "worker-1" ? "11" : "22";
    }

    // Lines of a history, about readers_lock. `id`: the acquire. `zxid`: the token.
    void asks(std::int64_t ms, const std::string& who, int id, const std::string& kind) {
        say(ms, who, "ask", {{"id", id}, {"lock", readers_lock}, {"kind", kind}});
    }
    void granted(std::int64_t ms, const std::string& who, int id, std::int64_t zxid) {
        say(ms, who, "grant",
            {{"id", id},
             {"lock", readers_lock},
             {"token", token_of(zxid)},
             {"session", session_of(who)}});
    }
    void lets_go(std::int64_t ms, const std::string& who, int id) {
        say(ms, who, "release", {{"id", id}});
        say(ms + 1, who, "released", {{"id", id}, {"code", "system:0 Success"}});
    }
    /// The transaction by which this writer's ticket becomes a reader's.
    void downgrade(std::int64_t zxid, std::int64_t session, int sequence) {
        transact(zxid, session,
                 {{"create", downgraded_node(sequence), "w"}, {"delete", writer_node(sequence)}});
    }

    /// Breaks no rule. worker-1 writes (acquire 11, ticket 0) and becomes a reader. So worker-2
    /// reads, by one ticket for two acquires (12 and 13, ticket 1). A writer of worker-1 (14,
    /// ticket 2) waits behind them. Then worker-2 reads (15, ticket 6), and becomes a writer
    /// (ticket 8).
    static shared_story good() {
        shared_story s;
        s.asks(400, "worker-1", 11, "writer");
        s.granted(410, "worker-1", 11, 0x200);
        s.asks(420, "worker-2", 12, "shared");
        s.asks(430, "worker-2", 13, "shared");
        s.asks(440, "worker-1", 14, "writer");
        s.say(450, "worker-1", "downgrade", {{"id", 11}});
        s.say(460, "worker-1", "downgraded", {{"id", 11}, {"code", "system:0 Success"}});
        s.granted(470, "worker-2", 12, 0x210);
        s.granted(471, "worker-2", 13, 0x210);
        s.lets_go(500, "worker-1", 11);
        s.lets_go(510, "worker-2", 13);
        s.lets_go(520, "worker-2", 12);
        s.granted(530, "worker-1", 14, 0x220);
        s.lets_go(560, "worker-1", 14);
        s.asks(600, "worker-2", 15, "shared");
        s.granted(610, "worker-2", 15, 0x280);
        s.say(620, "worker-2", "upgrade", {{"id", 15}});
        s.say(640, "worker-2", "upgraded",
              {{"id", 15}, {"code", "system:0 Success"}, {"token", token_of(0x2a0)}});
        s.lets_go(680, "worker-2", 15);

        s.create(0x200, 0x11, writer_node(0), "w-0");
        s.create(0x210, 0x22, reader_node(1), "r-1");
        s.create(0x220, 0x11, writer_node(2), "w-2");
        s.downgrade(0x230, 0x11, 0);
        s.set(0x240, 0x22, reader_node(1), clear_data);
        s.remove(0x250, 0x11, downgraded_node(0));
        s.remove(0x260, 0x22, reader_node(1));
        s.hand_off(0x270, 0x11, writer_node(2));
        s.create(0x280, 0x22, reader_node(6), "r-6");
        s.transact(0x290, 0x22, {{"check", reader_node(6)}, {"setData", readers_lock}});
        s.transact(0x2a0, 0x22,
                   {{"check", reader_node(6)},
                    {"setData", readers_lock},
                    {"create", writer_node(8), "w-8"}});
        s.remove(0x2b0, 0x22, reader_node(6));
        s.hand_off(0x2c0, 0x22, writer_node(8));
        s.close(0x300, 0x11);
        s.close(0x310, 0x22);
        return s;
    }
};

} // namespace turnstile::check
