// SPDX-License-Identifier: BSL-1.0
// A small run for tests of the checker, told line by line, whose lines can be changed.
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

/// Instants are in milliseconds here. Lines are written in the order of time, whenever they are
/// said.
struct story {
    std::vector<boost::json::object> lines;
    std::vector<std::string> logs{1};                           ///< one for each server
    std::map<std::size_t, std::vector<std::int64_t>> snapshots; ///< by server: their zxids

    void say(std::int64_t ms, const std::string& who, const std::string& kind,
             boost::json::object fields = {});
    /// Returns the line of that writer and kind, with that id if one is given. It must exist.
    boost::json::object& line(const std::string& who, const std::string& kind, int id = 0);
    /// Takes a line out, or moves it to another time. A release takes its answer with it.
    void forget(const std::string& who, const std::string& kind, int id = 0);
    void at(std::int64_t ms, const std::string& who, const std::string& kind, int id = 0);
    /// Makes the release one in the background: nobody is told what becomes of it.
    void in_background(const std::string& who, int id);
    /// A third worker takes a lock of its own, and releases it: so the servers serve.
    void serve(std::int64_t ms);

    /// Transactions, written to the log of all servers, in the tool's words.
    void create(std::int64_t zxid, std::int64_t session, const std::string& path,
                const std::string& request = "r-1");
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
    void log(std::int64_t zxid, std::int64_t session, const std::string& what);
    /// Takes transactions out of the log.
    void unlog(std::initializer_list<std::int64_t> zxids);
    void unlog(std::int64_t zxid) { unlog({zxid}); }

    [[nodiscard]] verdict check(const check_options& how = {}) const;

    /// worker-1 and worker-2 (sessions 0x11 and 0x22, timeout 1 s) hold /l/a one after the other
    /// for 100 ms each, as acquire 1; acquire 2 of worker-1 fails. Nothing is wrong.
    static story good();

    static std::string ticket(int sequence); ///< "/l/a/turn-3-lock-0000000000"

private:
    int served_ = 0;
};

using words = std::set<std::string>;

/// The words of the rules that were broken, each once.
words rules_of(const verdict& v);
/// Whether a violation of that rule says so.
bool says(const verdict& v, const std::string& rule, const std::string& text);
/// Whether it breaks that rule and no other, and a violation says so.
bool breaks_only(const story& s, const std::string& rule, const std::string& text);

} // namespace turnstile::check

// The names that each test of the checker uses.
using namespace turnstile::check;
