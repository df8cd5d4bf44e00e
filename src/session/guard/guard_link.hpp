// SPDX-License-Identifier: BSL-1.0
// The connection of a session to the host's guard.
#pragma once

#include "protocol/time/backoff.hpp"
#include "session/guard/guard_registration.hpp"
#include "zookeeper/fork_guard.hpp"
#include "zookeeper/session_strand.hpp"
#include "zookeeper/step_worker.hpp"

#include <turnstile/logger.hpp>
#include <turnstile/session_key.hpp>

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace turnstile::detail {

/// Registers the session with `turnstile guard`, and again whenever the guard or the session is a
/// new one. If it fails, it logs a warning and tries again: no lock waits for it. A guard that is
/// silent keeps its connection, since it may answer yet. session_impl owns this object. All members
/// are called on the session's strand. Where a registration stands:
///
/// |                            | socket | registered_ | unanswered_ | known_  |
/// | no session, or a pause     | closed | 0           | 0           | false   |
/// | the TLS files are read     | open   | the session | 0           | either  |
/// | its answer is awaited      | open   | the session | > 0         | either  |
/// | it is accepted             | open   | the session | 0           | true    |
/// | the session is a new one   | open   | 0           | any         | false   |
///
/// `known_` stays true while an accepted session is registered again with renewed TLS files.
class guard_link final : public std::enable_shared_from_this<guard_link> {
public:
    using say_function = std::function<void(log_level, const std::string&)>;

    /// `others` are processes whose end the guard awaits, too.
    guard_link(const zookeeper::session_strand& strand, std::string path, std::vector<pid_t> others,
               say_function say);
    ~guard_link() { worker_->forget(); }
    guard_link(const guard_link&) = delete;
    guard_link& operator=(const guard_link&) = delete;

    /// From now on the session is this one. If its id is 0, there is none.
    void follow(const session_key& now);

private:
    using socket_type = boost::asio::posix::basic_stream_descriptor<zookeeper::session_strand>;

    /// Connects and registers the session, unless it is registered.
    void try_to_register();
    // These two say what is wrong, or nothing.
    std::optional<std::string> open_and_connect();
    std::optional<std::string> wrong_with_peer();
    /// Has the registration made: on a thread if that reads files.
    void register_session();
    void send_registration(const made_registration& made);
    /// Complains after a while without an answer.
    void complain_if_silent();
    bool send(std::string_view text, const std::vector<int>& descriptors);
    void await_answer();
    void on_readable();
    void on_answer(std::string_view text);
    /// Drops the connection, and tries again after a pause.
    void fail(const std::string& why);
    /// Logs a warning, but only once until a guard answers.
    void complain(const std::string& why);
    void try_after(std::chrono::nanoseconds pause);
    void drop() noexcept;
    bool is_present(std::uint64_t generation) const;
    /// Makes a handler that calls `work`, if the connection is still the present one by then.
    template <class Work>
    auto later(Work work);

    const zookeeper::fork_guard process_;
    zookeeper::session_strand strand_;
    const std::string path_;
    const std::vector<pid_t> others_;
    const say_function say_;
    socket_type socket_;
    /// While an answer is awaited: complains. Else: the pause before the next registration.
    zookeeper::strand_timer timer_;
    const std::shared_ptr<zookeeper::step_worker<made_registration>> worker_;
    std::mt19937_64 random_{std::random_device{}()};
    session_key key_{};           // id 0: no session
    std::int64_t registered_ = 0; // the session of the last registration on this connection
    std::size_t unanswered_ = 0;  // how many registrations have no answer
    bool known_ = false;          // the guard has accepted the session, and the log says so
    bool warned_ = false;         // the log has warned since a guard answered last
    protocol::backoff backoff_;
    std::chrono::steady_clock::time_point connected_at_;
    std::uint64_t generation_ = 0; // the number of the present connection
};

} // namespace turnstile::detail
