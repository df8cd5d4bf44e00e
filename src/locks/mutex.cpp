#include <turnstile/mutex.hpp>

#include "locks/session_impl.hpp"

#include <utility>

namespace turnstile {

namespace detail {

class mutex_state {
public:
    mutex_state(std::shared_ptr<session_impl> session, std::string path)
        : session_(std::move(session)), path_(std::move(path)), group_(session_->next_id()) {}

    session_impl& session() const { return *session_; }
    const std::string& path() const { return path_; }
    operation_id group() const { return group_; }

private:
    const std::shared_ptr<session_impl> session_;
    const std::string path_;
    const operation_id group_;
};

} // namespace detail

mutex::mutex(turnstile::session& owner, std::string path)
    : state_(std::make_shared<detail::mutex_state>(owner.impl_, std::move(path))) {}

mutex& mutex::operator=(mutex&& other) noexcept {
    if (this != &other) {
        if (state_)
            state_->session().cancel_group(state_->group());
        state_ = std::move(other.state_);
    }
    return *this;
}

mutex::~mutex() {
    if (state_)
        state_->session().cancel_group(state_->group());
}

const std::string& mutex::path() const noexcept { return state_->path(); }
mutex::executor_type mutex::get_executor() const noexcept { return state_->session().executor(); }

void mutex::start_acquire(const std::shared_ptr<detail::mutex_state>& state, manner how,
                          handler done) {
    protocol::acquire_request what{.path = state->path(),
                                   .kind = protocol::ticket_kind::exclusive,
                                   .patient = how.patient,
                                   .limit = how.limit};
    state->session().acquire(std::move(what), state->group(), std::move(done));
}

} // namespace turnstile
