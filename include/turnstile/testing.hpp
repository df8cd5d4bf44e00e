// SPDX-License-Identifier: BSL-1.0
// A test kit: programs that use Turnstile are tested without a server. Link `turnstile::testing`.
#pragma once

#include <turnstile/held_lock.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::testing {

namespace detail {
class ground;
}

struct ensemble_options {
    /// The session timeout that each session gets, whatever it asks for.
    std::chrono::milliseconds timeout{15'000};
    /// ZooKeeper's `tickTime`. Sessions end in steps of it.
    std::chrono::milliseconds tick{2'000};
    /// Seeds the random choices of the library: back-offs, and when a ticket is checked.
    std::uint64_t seed = 1;
};

/**
 * @brief A modelled ensemble of one server, in this process, for the sessions of one `io_context`.
 *
 * Each session that is made on the context while the ensemble lives talks to the model; its server
 * list is not used. The model answers as a real server does, and at once. It is the model of
 * Turnstile's own simulation, which is compared with a real server.
 *
 * Time stands still. It moves when the test calls `advance`, and by a few microseconds with each
 * answer. `lease_clock::now()` returns this time in the whole process, and each wait of the library
 * uses it. The program's own timers run in real time.
 *
 * The model has no access rights, no chroot (it is ignored), no limit of a request's size, and no
 * other servers.
 *
 * @par Executor
 * Each function that changes something runs all handlers that are ready on the context before it
 * returns, as `settle` does, even if a handler of the context calls it. Exceptions of the program's
 * handlers come out of these functions. One thread runs the context and calls them.
 *
 * @par Object lifetimes
 * Make it before the sessions, and destroy it after them and before the context. A process has one
 * at a time: the constructor throws `std::logic_error` otherwise.
 */
class ensemble {
public:
    explicit ensemble(boost::asio::io_context& context, const ensemble_options& options = {});
    ~ensemble();
    ensemble(const ensemble&) = delete;
    ensemble& operator=(const ensemble&) = delete;

    // ---- time ----

    lease_clock::time_point now() const;
    /// Runs the context until nothing is left to do at this instant.
    void settle();
    /// Lets time pass. All that is due meanwhile happens in its order, at its instant.
    void advance(std::chrono::nanoseconds by);

    // ---- a lock is lost ----

    /// Deletes the ticket of this lock, as an operator would, and lets time pass until the lock is
    /// lost: about an eighth of the session timeout at most.
    void delete_ticket(const held_lock& lock);
    /// Deletes the ticket as `delete_ticket` does, but another program holds the lock then. Returns
    /// that program's node.
    std::string hand_over(const held_lock& lock);
    /// The session gets no connection until its locks are lost. Then the server ends it, and lets
    /// it connect again: so nobody else holds its locks before it knows. This takes a session
    /// timeout at most if it holds a lock, and a reconnect.
    void expire(const session& which);
    /// Another program ends the session at the server, and the session learns it at its next
    /// reconnect. No server does so by itself: the next holder of a lock may be granted while
    /// this session still believes in it, which is what fencing tokens are for.
    void end_session(const session& which);

    // ---- connections ----

    /// The connection breaks. The session reconnects by itself when time passes.
    void cut(const session& which);
    /// The connection breaks, and the session gets no other one for this time.
    void cut_off(const session& which, std::chrono::nanoseconds span);
    /// Answers of the server and its watch events wait from now on.
    void hold_answers(const session& which);
    /// The answers and events that waited arrive, in their order.
    void let_answers_through(const session& which);
    /// The server ends, and all connections with it. Its nodes stay.
    void stop_server();
    void start_server();

    // ---- nodes ----

    /// The nodes under a path, in the order of their numbers: the queue of a lock.
    std::vector<std::string> children(const std::string& path) const;
    /// Another program stands in line from now on, with a ticket like Curator's. Returns its node.
    std::string stranger(const std::string& lock_path);
    /// Deletes a node, such as the ticket of another program.
    void delete_node(const std::string& node);

private:
    std::vector<std::string> nodes_of(const held_lock& lock) const;
    /// Lets time pass until the lock is lost.
    void until_lost(const held_lock& lock);

    std::shared_ptr<detail::ground> ground_;
};

} // namespace turnstile::testing
