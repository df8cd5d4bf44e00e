// SPDX-License-Identifier: BSL-1.0
// How long a lock may be held, where its acquire says so.
#pragma once

#include "protocol/session_context.hpp"

#include <utility>

namespace turnstile::protocol {

/// From the grant on: first a warning, then the loss. Ends when it goes.
class hold_limit {
public:
    hold_limit(session_context& shared, duration longest)
        : context_(shared), longest_(longest), next_(shared.limits) {}

    void start(timer::callback warn, timer::callback lose) {
        const auto end = context_.now() + longest_;
        const auto ahead = context_.risk_margin() - context_.margin();
        next_.set(end - ahead, [this, end, warn = std::move(warn), lose = std::move(lose)] {
            next_.set(end, lose);
            warn();
        });
    }

private:
    const session_context& context_;
    const duration longest_;
    timer next_;
};

} // namespace turnstile::protocol
