// What every input of a session machine begins and ends with.
#pragma once

#include "protocol/session/session_machine.hpp"

#include <exception>

namespace turnstile::protocol {

class session_machine::input {
public:
    input(session_machine& owner, instant now) : owner_(owner) { owner_.begin_input(now); }
    // What threw has left the machine fit for nothing but its end.
    ~input() noexcept(false) {
        if (std::uncaught_exceptions() == exceptions_)
            owner_.end_input();
    }
    input(const input&) = delete;
    input& operator=(const input&) = delete;

private:
    session_machine& owner_;
    const int exceptions_ = std::uncaught_exceptions(); // on their way when it began
};

} // namespace turnstile::protocol
