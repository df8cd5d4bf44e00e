// SPDX-License-Identifier: BSL-1.0
// What tests of faults share: users of locks by the hundred, the history of their grants, and the
// eyes of another program.
#pragma once

#include "fixture.hpp"
#include "support/foreign_client.hpp"
#include "support/lock_user.hpp"
#include "support/onlooker.hpp"
#include "support/pch.hpp"
#include "support/server_view.hpp"
#include "support/session_book.hpp"

#include <turnstile.hpp>

namespace turnstile::test {

using namespace std::chrono_literals;

/// One user of one mutex. Declare it after the fixture.
class contender : public lock_user {
public:
    contender(session& owner, const std::string& path, journal* book = nullptr);

    void acquire_for(std::chrono::milliseconds limit);
    void try_acquire();

    mutex where;
};

/// `count` contenders for one path, over the sessions in turn.
class crowd {
public:
    crowd(const std::vector<session*>& sessions, const std::string& path, std::size_t count);
    void line_up();
    /// One after another: each has its ticket before the next begins.
    void line_up_in_order(fixture& f, onlooker& eyes);
    /// Each third user keeps the lock for a while first: others must not be granted meanwhile.
    void release_when_granted(std::chrono::milliseconds hold_for = std::chrono::milliseconds{0});
    [[nodiscard]] std::size_t served() const { return book.grants.size(); }
    [[nodiscard]] bool all_done() const; ///< each operation that was started has completed
    [[nodiscard]] std::size_t failures() const;
    [[nodiscard]] std::vector<const contender*> in_line() const;

    journal book;
    std::vector<std::unique_ptr<contender>> all;
};

/// Until it holds its lock.
void acquire_now(fixture& f, contender& user,
                 std::source_location where = std::source_location::current());
/// How its release ends.
error_code release_now(fixture& f, contender& user,
                       std::source_location where = std::source_location::current());
/// All of them release when they are granted; so many grants there are in the end.
void serve_all(fixture& f, crowd& users, std::size_t grants,
               std::chrono::milliseconds hold_for = std::chrono::milliseconds{0},
               std::source_location where = std::source_location::current());

/// Runs the fixture until the path has so many children.
void await_children(fixture& f, onlooker& eyes, const std::string& path, std::size_t count,
                    std::chrono::milliseconds limit = fixture::default_limit,
                    std::source_location where = std::source_location::current());

/// Until the server counts so many watches.
void await_watches(fixture& f, std::uint16_t port, std::size_t count,
                   std::source_location where = std::source_location::current());

/// options_for, with short delays between attempts to connect, and no log of them.
session_options impatient(const std::string& servers,
                          std::chrono::milliseconds timeout = std::chrono::seconds{4});
/// The same with a timeout that outlasts the restart of a server.
inline session_options long_session(const std::string& servers) { return impatient(servers, 15s); }
/// The same with a timeout of an hour, if the server allows that: no beat falls into what is
/// counted.
inline session_options without_beats(const std::string& servers) { return impatient(servers, 1h); }

/// Ends the session at the server, past the library's back: from the second connection that a
/// server sees with id and password, it drops the first.
void expire(const session_book& seen, const std::string& server, const session& which);

/// Until all that the session asked so far has been answered, and what followed from it.
void settle(fixture& f, session& which,
            std::source_location where = std::source_location::current());

/// Connects, or fails the test.
void connect(fixture& f, session& which,
             std::source_location where = std::source_location::current());

} // namespace turnstile::test
