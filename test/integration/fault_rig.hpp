// What tests of faults share: users of locks by the hundred, the history of their grants, and the
// eyes of another program.
#pragma once

#include "fixture.hpp"
#include "support/foreign_client.hpp"
#include "support/session_tap.hpp"

#include <turnstile.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace turnstile::test {

class contender;
class onlooker;

/// All grants of one lock path in this process, in order, and whether two ever overlapped.
struct journal {
    struct entry {
        const contender* who;
        turnstile::fencing_token token;
    };
    std::vector<entry> grants;
    std::set<const contender*> holding;
    std::size_t overlaps = 0; ///< grants while another still believed in its own

    void granted(const contender& who);
    [[nodiscard]] bool tokens_grow() const;
    /// Whether these were granted in this order, perhaps among others.
    [[nodiscard]] bool in_order(const std::vector<const contender*>& expected) const;
};

/// One user of one lock, with callbacks: no coroutine to compile, and thousands of them are cheap.
/// Declare it after the fixture.
class contender {
public:
    contender(session& owner, const std::string& path, journal* book = nullptr);
    contender(const contender&) = delete;
    contender& operator=(const contender&) = delete;
    ~contender();

    void acquire(); ///< results of before are forgotten
    void acquire_for(std::chrono::milliseconds limit);
    void try_acquire();
    void cancel(); ///< of the acquire
    void release();

    [[nodiscard]] bool holds() const { return static_cast<bool>(lock); }
    [[nodiscard]] bool failed() const { return static_cast<bool>(failure); }

    mutex where;
    held_lock lock;
    turnstile::fencing_token token; ///< of the newest grant
    lease_clock::time_point granted_at;
    error_code failure;              ///< of the newest acquire
    std::optional<error_code> loss;  ///< what lost() told of the newest grant
    lease_clock::time_point lost_at; ///< when it did
    std::optional<error_code> risk;  ///< what at_risk() told of it
    lease_clock::time_point at_risk_at;
    std::optional<error_code> release_result;
    bool release_when_granted = false;     ///< at once, inside the handler; or
    std::chrono::milliseconds hold_for{0}; ///< after this time, so that overlaps can be seen

    int started = 0;   ///< acquires and releases
    int completed = 0; ///< of them
    int grants = 0;

private:
    void on_acquired(const error_code& result, held_lock granted);
    std::function<void(error_code, held_lock)> on_acquire();
    void start();
    void release_soon();

    journal* book_;
    boost::asio::steady_timer rest_;
    boost::asio::cancellation_signal cancellation_;
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

/// Another program's eyes and hands. It sends nothing between calls, so its session may end
/// meanwhile; it makes a new one then.
class onlooker {
public:
    explicit onlooker(std::string address);
    foreign_client& client();
    /// Children of a node; 0 if there is none.
    std::size_t count(const std::string& path);
    std::vector<std::string> children(const std::string& path); ///< sorted by sequence
    node_info info(const std::string& node);

private:
    std::string address_;
    std::optional<foreign_client> client_;
};

/// Runs the fixture until the path has so many children.
void await_children(fixture& f, onlooker& eyes, const std::string& path, std::size_t count,
                    std::chrono::milliseconds limit = fixture::default_limit,
                    std::source_location where = std::source_location::current());

/// Watches at the server, by its own count.
std::size_t watches_of(std::uint16_t port);
void await_watches(fixture& f, std::uint16_t port, std::size_t count,
                   std::source_location where = std::source_location::current());

/// options_for, with short delays between attempts to connect, and no log of them.
session_options impatient(const std::string& servers);

/// Ends the session at the server, past the library's back: from the second connection that a
/// server sees with id and password, it drops the first.
void expire(const session_tap& tap, const std::string& server, const session& which);

/// Until all that the session asked so far has been answered, and what followed from it.
void settle(fixture& f, session& which,
            std::source_location where = std::source_location::current());

/// Connects, or fails the test.
void connect(fixture& f, session& which,
             std::source_location where = std::source_location::current());

} // namespace turnstile::test
