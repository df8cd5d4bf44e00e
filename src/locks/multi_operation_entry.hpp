// How an acquire of several locks hears of its parts, one after the other. For the files of
// multi_operation.
#pragma once

#include "locks/multi_operation.hpp"

#include <memory>
#include <utility>

namespace turnstile::detail {

template <class Input>
void multi_operation::work(const Input& input) {
    if (given_up_)
        return; // a lock that comes now goes with its answer
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

// The turn in which a part is heard. It is made when the part is asked, so no answer is lost for
// want of memory, and no lock that comes with it.
template <class Came, class Input>
auto multi_operation::answer_of(std::size_t which, Input input) {
    struct answer {
        error_code result;
        Came came;
    };
    const auto to = std::make_shared<answer>();
    auto turn = turns::prepare([self = shared_from_this(), which, to, input] {
        self->work([&](multi_operation& here) {
            here.parts_[which].reason = to->result;
            return input(here, *to);
        });
    });
    return [self = shared_from_this(), to, turn = std::move(turn)](const error_code& result,
                                                                   Came came) mutable {
        to->result = result;
        to->came = std::move(came);
        self->turns_.take(turn);
    };
}

} // namespace turnstile::detail
