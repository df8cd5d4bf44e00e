// What a lock object is made of: its session, its path, and how its tickets stand in line.
#pragma once

#include "locks/session_impl.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::detail {

/// Of any kind of lock: the kind is a value here, and what comes after an acquire is the same for
/// all of them.
class mutex_state {
public:
    mutex_state(std::shared_ptr<session_impl> session, std::string path, protocol::ticket_kind kind)
        : session_(std::move(session)),
          path_(std::move(path)),
          kind_(kind),
          group_(session_->next_id()) {}

    const std::string& path() const { return path_; }
    const session_impl::executor_type& executor() const { return session_->executor(); }

    void acquire(bool patient, std::optional<protocol::duration> limit,
                 session_impl::acquire_handler done) {
        session_->acquire({.path = path_, .kind = kind_, .patient = patient, .limit = limit},
                          group_, std::move(done));
    }
    /// The lock object is gone: nobody awaits its acquires any more.
    void cancel_acquires() noexcept { session_->cancel_group(group_); }

private:
    const std::shared_ptr<session_impl> session_;
    const std::string path_;
    const protocol::ticket_kind kind_;
    const operation_id group_;
};

} // namespace turnstile::detail
