// SPDX-License-Identifier: BSL-1.0
// A small run for tests of the checker. A test takes a good one, changes it, and asks for the
// verdict.
#pragma once

#include "checker.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace turnstile::check {

/// In nanoseconds, as fields of lines have it.
inline constexpr std::int64_t millisecond = 1'000'000;

/// The lines of a history, and the transaction logs of the servers. Functions that take a history's
/// line write or change what a process says; functions that take a zxid do so with a log's
/// transaction. Instants are in milliseconds here. check() sorts the lines by time.
struct story {
    std::vector<boost::json::object> lines;
    std::vector<std::string> logs{1};                           ///< one for each server
    std::map<std::size_t, std::vector<std::int64_t>> snapshots; ///< by server (from 0): their zxids

    /// Adds a line of this writer and kind.
    void say(std::int64_t ms, const std::string& who, const std::string& kind,
             boost::json::object fields = {});
    /// Returns the line of that writer and kind, with that id if one is given. It must exist.
    boost::json::object& line(const std::string& who, const std::string& kind, int id = 0);
    /// Takes a line out. A release takes its answer with it.
    void forget(const std::string& who, const std::string& kind, int id = 0);
    /// Moves a line to another time, and a release's answer to 10 ms after that.
    void at(std::int64_t ms, const std::string& who, const std::string& kind, int id = 0);
    /// Makes the release one in the background: nobody is told what becomes of it.
    void in_background(const std::string& who, int id);
    /// A third worker takes a lock of its own, and releases it at once. It shows that servers serve
    /// at this time.
    void serve(std::int64_t ms);

    // These write a transaction to the log of all servers, as ZooKeeper's tool shows it.
    /// Makes a ticket, for the acquire with this request id.
    void create(std::int64_t zxid, std::int64_t session, const std::string& path,
                const std::string& request = "r-1");
    /// Releases a ticket: sets its data and deletes it.
    void hand_off(std::int64_t zxid, std::int64_t session, const std::string& path);
    void remove(std::int64_t zxid, std::int64_t session, const std::string& path);
    void set(std::int64_t zxid, std::int64_t session, const std::string& path,
             const std::string& data);
    /// One part of a transaction: "create", "setData", "check" or "delete".
    struct part {
        std::string operation;
        std::string path;
        std::string request{}; ///< the request's id in a node that is made
    };
    void transact(std::int64_t zxid, std::int64_t session, const std::vector<part>& parts);
    void close(std::int64_t zxid, std::int64_t session);
    void expire(std::int64_t zxid, std::int64_t session); ///< the servers end it by themselves
    void log(std::int64_t zxid, std::int64_t session, const std::string& text);
    /// Takes transactions out of all logs. They must exist.
    void unlog(std::initializer_list<std::int64_t> zxids);
    void unlog(std::int64_t zxid) { unlog({zxid}); }

    [[nodiscard]] verdict check(const check_options& how = {}) const;

    /// A run that breaks no rule. worker-1 and worker-2 (sessions 0x11 and 0x22, timeout 1 s) hold
    /// /l/a one after the other, each as its acquire 1: from 100 to 200 ms by the ticket of
    /// transaction 0x10, and from 205 to 305 ms by that of 0x11. Each writes to the store. Then
    /// acquire 2 of worker-1 fails. The transactions are 0x10 to 0x17:
    /// - 0x10, 0x11: tickets 0 and 1 are made
    /// - 0x12, 0x13: they are released
    /// - 0x14, 0x15: ticket 2 of worker-1 is made, and deleted
    /// - 0x16, 0x17: the sessions are closed
    static story good();

    static std::string ticket(int sequence); ///< "/l/a/turn-3-lock-0000000000"

private:
    int served_ = 0; ///< calls of serve()
};

using words = std::set<std::string>;

/// The names of the rules that were broken, each once.
words rules_of(const verdict& v);
/// Whether the text of a violation of that rule contains this one.
bool says(const verdict& v, const std::string& rule, const std::string& text);
/// Whether the story breaks that rule and no other, and says() so.
bool breaks_only(const story& s, const std::string& rule, const std::string& text);

} // namespace turnstile::check

// The names that each test of the checker uses.
using namespace turnstile::check;
