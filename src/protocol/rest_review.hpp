// SPDX-License-Identifier: BSL-1.0
// When the session forgets what it no longer uses.
#pragma once

#include "protocol/session_context.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace turnstile::protocol {

/// Has something forgotten that two reviews in a row found at rest, with no use in between.
class rest_review {
public:
    /// `look` tells how often something that is at rest was used, and nothing where it is not.
    /// `forget` may destroy this object.
    rest_review(session_context& shared, std::function<std::optional<std::uint64_t>()> look,
                std::function<void()> forget)
        : context_(shared),
          look_(std::move(look)),
          forget_(std::move(forget)),
          next_(shared.clock) {
        review_later();
    }

private:
    void review_later() {
        next_.set(context_.now() + context_.options.queue_rest, [this] { review(); });
    }
    void review() {
        const auto uses = look_();
        if (uses && uses == uses_before_) {
            const auto forget = std::move(forget_); // outlives this object
            return forget();
        }
        uses_before_ = uses;
        review_later();
    }

    session_context& context_;
    std::function<std::optional<std::uint64_t>()> look_;
    std::function<void()> forget_;
    std::optional<std::uint64_t> uses_before_; // at the last review, if it was at rest
    timer next_;
};

} // namespace turnstile::protocol
