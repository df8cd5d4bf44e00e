// What leaves for the server: requests, in one write at the end of a turn.
#include "zookeeper/client_later.hpp"

#include <boost/asio/error.hpp>

namespace turnstile::zookeeper {

void client::send(protocol::request_id id, const protocol::request& what) {
    if (!connection_ || ending_ || closing_)
        return; // answered by the end of the connection
    connection_->send(id, what);
    if (connection_->state() != connection::status::connected)
        return finish_later();
    if (connection_->has_events() && !pumping_)
        tell_later();
}

void client::end_turn() {
    if (connection_ && !pumping_ && !ending_)
        flush();
}

void client::flush() {
    while (!blocked_ && !connection_->output().empty()) {
        boost::system::error_code error;
        const auto count = socket_.write_now(connection_->output(), error);
        connection_->sent(count);
        if (!error)
            continue;
        if (error == boost::asio::error::would_block) {
            blocked_ = true;
            socket_.wait_writable(
                later([](client& self, const boost::system::error_code&, std::size_t) {
                    self.blocked_ = false;
                    if (self.connection_ && !self.ending_)
                        self.flush();
                }));
        } else {
            blame(cause_of(error));
            return finish_later();
        }
    }
}

} // namespace turnstile::zookeeper
