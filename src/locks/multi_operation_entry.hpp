// SPDX-License-Identifier: BSL-1.0
// How an acquire of several locks hears of its parts, one after the other. For the files of
// multi_operation.
#pragma once

#include "locks/multi_operation.hpp"

#include <utility>

namespace turnstile::detail {

template <class Input>
void multi_operation::work(const Input& input) {
    if (given_up_)
        return;
    try {
        perform(input(*this));
    } catch (...) {
        give_up();
        throw;
    }
}

template <class Input>
void multi_operation::enter(Input input) {
    turns_.take([self = shared_from_this(), input = std::move(input)] { self->work(input); });
}

// Hears of a part, in its turn: the answer is put where `Place` says, and `Input` tells of it.
template <auto Place, auto Input>
auto multi_operation::answer_of(std::size_t which) {
    parts_[which].turn = turns::prepare([this, which] {
        auto& of = parts_[which];
        if (given_up_) // a lock that comes now goes
            return void(of.*Place = {});
        work([which](multi_operation& self) {
            self.parts_[which].reason = self.parts_[which].result;
            return (self.*Input)(which);
        });
    });
    return [self = shared_from_this(), which](const error_code& result, auto came) {
        auto& of = self->parts_[which];
        of.result = result;
        of.*Place = std::move(came);
        self->turns_.take(of.turn);
    };
}

} // namespace turnstile::detail
