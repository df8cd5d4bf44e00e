// SPDX-License-Identifier: BSL-1.0
// A handler that keeps a record of what happened to it.
#pragma once

#include <turnstile.hpp>

#include "support/pch.hpp"

namespace turnstile::test {

/// Makes one move-only handler for any operation, and tells whether it was called, how often and
/// with what, or destroyed without a call.
class probe {
    struct record {
        int calls = 0;
        error_code code;
        held_lock lock;
        std::optional<session_state> state;
    };

public:
    class handler {
    public:
        handler(std::shared_ptr<record> to, std::shared_ptr<int> alive)
            : to_(std::move(to)), alive_(std::move(alive)) {}
        handler(handler&&) noexcept = default;
        handler(const handler&) = delete;

        void operator()(error_code code) {
            ++to_->calls;
            to_->code = code;
        }
        /// An empty lock without an error says that others have it: here that is `would_block`.
        void operator()(error_code code, held_lock lock) {
            CHECK(code != error::would_block);
            (*this)(!code && !lock ? error::would_block : code);
            to_->lock = std::move(lock);
        }
        void operator()(error_code code, session_state state) {
            (*this)(code);
            to_->state = state;
        }

    private:
        std::shared_ptr<record> to_;
        std::shared_ptr<int> alive_;
    };

    handler make() {
        auto alive = std::make_shared<int>();
        alive_ = alive;
        return {record_, std::move(alive)};
    }

    int calls() const { return record_->calls; }
    bool done() const { return record_->calls > 0; }
    bool pending() const { return record_->calls == 0 && !alive_.expired(); }
    /// Destroyed uninvoked.
    bool dropped() const { return record_->calls == 0 && alive_.expired(); }

    error_code code() const { return record_->code; }
    std::optional<session_state> state() const { return record_->state; }
    held_lock& lock() { return record_->lock; }

private:
    std::shared_ptr<record> record_ = std::make_shared<record>();
    std::weak_ptr<int> alive_;
};

} // namespace turnstile::test
