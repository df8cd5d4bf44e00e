// SPDX-License-Identifier: BSL-1.0
// A session machine with a semaphore, on the path /s.
#pragma once

#include "unit/protocol/machine_fixture.hpp"

#include "protocol/names/semaphore_names.hpp"

#include <map>

namespace turnstile::test {

/// Of the semaphore /s.
inline constexpr std::int64_t semaphore_incarnation = 7;

inline std::string permit_prefix(bool tried, std::uint64_t attempt,
                                 std::int64_t session = our_session) {
    return protocol::permit_name{.tried = tried,
                                 .incarnation = semaphore_incarnation,
                                 .session = session,
                                 .attempt = attempt}
        .prefix();
}
inline std::string permit_text(bool tried, std::uint64_t attempt, std::int32_t sequence) {
    return permit_prefix(tried, attempt) + digits(sequence);
}
inline std::string others_permit(bool tried, std::int32_t sequence) {
    return permit_prefix(tried, 1, other_session) + digits(sequence);
}
inline std::string in_permits(const std::string& name) { return "/s/leases/" + name; }
inline std::string place(std::int32_t sequence) {
    return "/s/queue/turn-7-lock-" + digits(sequence);
}

/// What the first try of a session made.
inline const std::string own_permit = in_permits(permit_text(true, 1, 0));
/// Taken in line by an acquire whose answer was lost, as a listing shows it.
inline const std::string found_take = in_permits(permit_text(false, 2, 4));
inline const std::string enqueues = "enqueue /s/queue/turn-7-lock-";

/// Before a limit is read that refuses an acquire.
inline const std::string proves_limit = "transact /scheck /s/limit";

/// `holds` and `is_first` begin a test; so does `connect` with a `take`.
struct user_of_permits : machine_fixture {
    using machine_fixture::machine_fixture;

    void take(protocol::ticket_id id, std::uint32_t count = 1, bool patient = true,
              std::optional<std::uint32_t> limit = {}) {
        protocol::acquire_request what;
        what.path = "/s";
        what.patient = patient;
        what.permits = count;
        what.stated_limit = limit;
        machine.acquire(now, id, what);
    }
    static protocol::reply limit_reply(std::uint32_t limit, std::int32_t version = 0) {
        return {.stat = {.czxid = semaphore_incarnation, .version = version},
                .data = protocol::limit_text(limit)};
    }
    void told_limit(std::uint32_t limit, std::int32_t version = 0, bool watched = false) {
        reply(watched ? "watch /s/limit" : "get /s/limit", limit_reply(limit, version));
    }
    /// By a server that has caught up with the others.
    void told_limit_for_sure(std::uint32_t limit, std::int32_t version = 0, bool watched = false) {
        reply(proves_limit, replies::ok());
        told_limit(limit, version, watched);
    }
    void told_no_limit_for_sure() {
        reply(proves_limit, replies::no_node());
        reply("get /s/limit", replies::no_node());
    }
    static std::string try_text(std::uint64_t attempt, std::uint32_t count = 1,
                                std::int32_t version = 0) {
        std::string text = "transact /scheck /s/limit@" + std::to_string(version) +
                           "; set /s/queue; set /s/leases";
        for (std::uint32_t i = 0; i < count; ++i)
            text += "; sequential " + in_permits(permit_prefix(true, attempt));
        return text;
    }
    void permits_change() { machine.on_watch(now, protocol::watch_event::children, "/s/leases"); }
    static std::string take_text(std::uint64_t attempt, std::int32_t sequence,
                                 std::uint32_t count = 1, std::int32_t version = 0) {
        std::string text = "transact /scheck /s/limit@" + std::to_string(version) + "; set " +
                           place(sequence) + "; delete " + place(sequence);
        for (std::uint32_t i = 0; i < count; ++i)
            text += "; sequential " + in_permits(permit_prefix(false, attempt));
        return text;
    }
    /// The try is answered: how many stood in line, and how many permits there were.
    void tried(std::uint64_t attempt, std::int32_t line, std::int32_t permits,
               std::int32_t first = 0, std::uint32_t count = 1,
               std::int64_t seen_incarnation = semaphore_incarnation) {
        protocol::reply answer;
        answer.results = {
            {},
            {.stat = {.czxid = semaphore_incarnation, .mzxid = 200, .children = line}},
            {.stat = {.czxid = seen_incarnation, .mzxid = 200, .children = permits}}};
        for (std::uint32_t i = 0; i < count; ++i)
            answer.results.push_back({.path = in_permits(permit_text(
                                          true, attempt, first + static_cast<std::int32_t>(i)))});
        reply(try_text(attempt, count), answer);
    }
    void taken(std::uint64_t attempt, std::int32_t sequence, std::int32_t first,
               std::uint32_t count = 1, std::int32_t version = 0) {
        protocol::reply answer;
        answer.results = {{}, {.stat = {.mzxid = 300}}, {}};
        for (std::uint32_t i = 0; i < count; ++i)
            answer.results.push_back({.path = in_permits(permit_text(
                                          false, attempt, first + static_cast<std::int32_t>(i)))});
        reply(take_text(attempt, sequence, count, version), answer);
    }
    /// If too few are free, the owner of each permit is asked for once in a while. Each has one.
    void listed(const std::vector<std::string>& names, std::int32_t next) {
        told_permits(names, next);
        const auto asks = [this] {
            const auto all = open();
            return !all.empty() && all.front().starts_with("exists " + in_permits(""));
        };
        const bool looks_for_strays = asks();
        while (asks())
            reply(open().front(), replies::node(90, other_session));
        if (looks_for_strays)
            told_permits(names, next);
    }
    void told_permits(std::vector<std::string> names, std::int32_t next) {
        const auto count = static_cast<std::int32_t>(names.size());
        reply("list /s/leases", {.stat = {.czxid = semaphore_incarnation,
                                          .children = count,
                                          .child_version = 2 * next - count},
                                 .children = std::move(names)});
    }
    /// A try that found too few free stands in line once in a while, and finds that all permits go
    /// with sessions.
    void finds_no_stray(const std::vector<std::string>& permits) {
        reply("enqueue /s/queue/turn-7-lock-",
              replies::placed(place(4), 250, 0, semaphore_incarnation));
        told_limit(3, 0, true);
        listed(permits, 5);
        reply("delete " + place(4), replies::ok());
    }
    const std::vector<std::string> three{others_permit(false, 0), others_permit(false, 1),
                                         others_permit(false, 2)};
    void holds(std::uint32_t count = 1) {
        connect();
        take(1, count);
        told_limit(3);
        tried(1, 0, 0, 0, count);
        REQUIRE(events() == texts{"granted 1 token 200"});
    }
    /// Stands first in line, with ticket 4. Before that one permit was taken and one tried.
    void is_first(std::uint32_t count = 2) {
        connect();
        take(1, count);
        told_limit(3);
        tried(1, 0, count > 1 ? 2 : 3, 2, count);
        std::string taken_back;
        for (std::uint32_t i = 0; i < count; ++i)
            taken_back += (i > 0 ? "; delete " : "delete ") +
                          in_permits(permit_text(true, 1, 2 + static_cast<std::int32_t>(i)));
        reply(count > 1 ? "transact /s" + taken_back : taken_back, replies::ok());
        reply("enqueue /s/queue/turn-7-lock-",
              replies::placed(place(4), 250, 0, semaphore_incarnation));
        told_limit(3, 0, true);
        REQUIRE(events().empty());
        REQUIRE(open() == texts{"list /s/leases"});
    }
    /// As `is_first`, and has sent what takes its permits with its ticket.
    void is_taking(std::uint32_t count = 1) {
        is_first(count);
        listed({}, 4);
        REQUIRE(open() == texts{take_text(2, 4, count)});
    }
    /// Has taken permits, and has still to prove the lease of its session.
    void is_confirming(std::uint32_t count = 1) {
        connect();
        live(60s); // idle: reads only
        take(1, count);
        told_limit(3);
        tried(1, 0, 0, 0, count);
        REQUIRE(events().empty());
        REQUIRE(open() == texts{permits_text("check", true, 1, 0, count)});
    }
    /// Held, and the loss was reported 1 s before the deadline. It is connected again.
    void is_lost(std::uint32_t count = 1) {
        holds(count);
        loses();
    }
    void loses() {
        cut();
        pass(15s);
        accept();
        reply("check /s/limit", replies::ok());
        REQUIRE(open().empty());
    }
    /// A while later it asks again, and is answered so; a beat, with success.
    void looks_again(const std::map<std::string, protocol::reply>& answers) {
        REQUIRE(events().empty());
        pass(2s);
        while (!open().empty() && told.events.empty()) {
            const auto next = open().front();
            const auto known = answers.find(next);
            reply(next, known == answers.end() ? replies::ok() : known->second);
        }
    }
    /// The transaction that does this to all permits of an attempt.
    static std::string permits_text(const std::string& what, bool tried, std::uint64_t attempt,
                                    std::int32_t first, std::uint32_t count) {
        std::string text = "transact /s";
        for (std::uint32_t i = 0; i < count; ++i)
            text += (i > 0 ? "; " : "") + what + ' ' +
                    in_permits(permit_text(tried, attempt, first + static_cast<std::int32_t>(i)));
        return text;
    }
};

} // namespace turnstile::test
