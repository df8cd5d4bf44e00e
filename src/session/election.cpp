// SPDX-License-Identifier: BSL-1.0
#include <turnstile/election.hpp>

#include "session/lock_object.hpp"
#include "session/session_impl.hpp"

#include <turnstile/session.hpp>

#include <memory>
#include <utility>

namespace turnstile {

election::election(session& owner, std::string path)
    : path_lock(owner, {.path = std::move(path)}) {}

lock_view election::candidate(std::string value) const {
    auto one = std::make_shared<detail::lock_object>(*object_);
    one->request.value = std::move(value);
    return lock_view(std::move(one));
}

void election::start_proclaim(const object_ptr& object, const std::string& value,
                              plain_handler done) {
    object->session->proclaim(*object, value, std::move(done));
}

void election::start_resign(const object_ptr& object, plain_handler done) {
    object->session->resign(*object, std::move(done));
}

void election::start_leader(const object_ptr& object, const std::optional<leader_info>& known,
                            leader_handler done) {
    object->session->follow_leader(*object, known, std::move(done));
}

} // namespace turnstile
