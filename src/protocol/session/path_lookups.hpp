// SPDX-License-Identifier: BSL-1.0
// Finds the key of the lock that a path stands for, before an acquire.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/queue/lock_directory.hpp"
#include "protocol/session_context.hpp"

#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace turnstile::protocol {

/// Runs look-ups. Each reads its lock path by a lock_directory of its own, which makes the path if
/// it is missing, as an acquire would. session_machine owns it, and gets each path that was found
/// and each end.
class path_lookups {
public:
    /// A look-up has found the path, and its end is reported next.
    using found_handler =
        std::function<void(const acquire_request& what, const lock_directory& by)>;
    using end_handler =
        std::function<void(inquiry_id id, failure why, zookeeper_code code, const lock_key& key)>;

    path_lookups(session_context& shared, found_handler found, end_handler ended)
        : context_(shared), found_(std::move(found)), ended_(std::move(ended)) {}

    void begin(inquiry_id id, const acquire_request& what, instant since,
               std::optional<instant> end);
    bool knows(inquiry_id id) const { return open_.contains(id); }
    void cancel(inquiry_id id, failure why) { fail(id, why, zookeeper_code::ok); }
    /// Erases the look-ups that are over, at the end of each input: a directory may not be erased
    /// while it calls a handler or awaits an answer.
    void forget_over();

    void on_connected();
    void on_disconnected();
    void fail_all(failure why);

    bool empty() const { return open_.empty(); }
    void for_each_waiting(const std::function<void(inquiry_id, instant)>& action) const;

private:
    struct lookup {
        lookup(path_lookups& owner, inquiry_id id, acquire_request asked, instant began);

        const instant since;
        const acquire_request what;
        lock_directory directory;
        timer deadline;
        bool reported = false; // its end was reported
    };

    void fail(inquiry_id id, failure why, zookeeper_code code);
    void succeed(inquiry_id id);

    session_context& context_;
    const found_handler found_;
    const end_handler ended_;
    std::map<inquiry_id, lookup> open_;
};

} // namespace turnstile::protocol
