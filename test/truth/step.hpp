// SPDX-License-Identifier: BSL-1.0
// What happens next, at the modelled server and at the real one.
#pragma once

#include "model/model_tree.hpp"

#include "protocol/wire/port.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace turnstile::test {

/// What a session is told.
namespace reports {
struct connected {
    model_session session;
};
struct answer {
    protocol::request_id id;
    protocol::reply what;
};
struct event {
    protocol::watch_event what;
    std::string path;
};
struct end {
    protocol::disconnect_reason why;
};
} // namespace reports
using heard = std::variant<reports::connected, reports::answer, reports::event, reports::end>;

struct step {
    enum class kind {
        connect,     // with the session that it has, if it has one
        ask,         // all in one flight
        cut,         // the connection, while nothing is under way
        close,       // the session, by itself
        session_end, // the session, by an operator
        expire,      // of a session that is not connected
        remove,      // by a foreign client
        set,         // by a foreign client
        deny,        // a permission on a path, from now on
        allow,       // it again
    };
    kind what{};
    std::size_t who = 0;
    struct ask {
        protocol::request_id id;
        protocol::request what;
    };
    std::vector<ask> asked{};
    std::string path{};
    model_right right{};

    std::string str() const;
};

std::string text_of(const heard& word);

} // namespace turnstile::test
