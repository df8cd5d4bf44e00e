// How a connection ends, from either side.
#include "zookeeper/client.hpp"

namespace turnstile::zookeeper {

void client::let_go() noexcept {
    ++generation_;
    resolver_.cancel();
    patience_.cancel();
    socket_.close();
    connection_.reset();
    reading_ = resting_ = ending_ = attempting_ = closing_ = false;
}

void client::finish(protocol::disconnect_reason why) {
    const bool closed = closing_;
    let_go();
    events_.on_disconnected(closed ? protocol::disconnect_reason::closed : why);
}

void client::close_session() {
    if (!connection_ || ending_)
        return;
    if (!connection_->send_close())
        return finish_later(); // the session is left to expire
    closing_ = true;
    if (!reading_)
        wait_readable();
}

void client::drain_after_close() {
    // The C client would assert on an answer that nobody asked for: read past it.
    if (socket_.drain())
        return finish(protocol::disconnect_reason::closed);
    wait_readable();
}

void client::abandon() noexcept {
    if (connection_ && !closing_)
        connection_->send_close();
    let_go();
}

} // namespace turnstile::zookeeper
