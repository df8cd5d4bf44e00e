// How a connection ends, from either side.
#include "zookeeper/client_later.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace turnstile::zookeeper {

void client::let_go() noexcept {
    ++generation_;
    resolver_.cancel();
    patience_.cancel();
    socket_.close();
    connection_.reset();
    resting_ = blocked_ = ending_ = closing_ = attempting_ = pumping_ = telling_ = naming_ = false;
}

void client::finish(protocol::disconnect_reason why) {
    const bool closed = closing_;
    if (why == protocol::disconnect_reason::lost)
        why = reason_of_loss();
    else if (why == protocol::disconnect_reason::not_restored)
        resolver_.next(wish_.server);
    let_go();
    if (!closed && why != protocol::disconnect_reason::expired) { // that is no server's fault
        blame(why == protocol::disconnect_reason::auth_failed ? "the server refused an identity"
                                                              : "the connection was lost");
        events_.on_trouble(trouble_);
    }
    events_.on_disconnected(closed ? protocol::disconnect_reason::closed : why);
}

// What it means for the addresses of the server.
protocol::disconnect_reason client::reason_of_loss() {
    if (naming_)
        return protocol::disconnect_reason::no_address;
    if (attempting_ && resolver_.next(wish_.server))
        return protocol::disconnect_reason::one_address;
    if (!attempting_)
        resolver_.served(wish_.server);
    return protocol::disconnect_reason::lost;
}

void client::drop() {
    if (!attempting_ && !connection_)
        return;
    blame(naming_ ? "its name is still being looked up" : "no answer in time");
    finish_later();
}

void client::finish_later() {
    if (std::exchange(ending_, true))
        return;
    boost::asio::post(executor_,
                      later([](client& self, const boost::system::error_code&, std::size_t) {
                          if (!self.connection_)
                              return self.finish(protocol::disconnect_reason::lost);
                          self.last_reads_ = 0;
                          self.socket_.shutdown(); // the read that is under way brings the end
                      }));
}

// Of an end of the connection that the other side or the network brings.
std::string client::cause_of(const boost::system::error_code& error) const {
    namespace errors = boost::asio::error;
    const bool closed =
        error == errors::eof || error == errors::connection_reset || error == errors::broken_pipe;
    // A reset may come before the connect is told.
    if (closed && (!connection_ || connection_->state() == connection::status::connecting))
        return "the server closed the connection before it answered: it may have no majority, or "
               "maxClientCnxns of its zoo.cfg is reached";
    if (!error)
        return "the connection was given up";
    return error == errors::eof ? "the server closed the connection" : error.message();
}

// The first cause counts: what comes after it is its effect.
void client::blame(std::string cause) {
    if (trouble_.empty())
        trouble_ = std::move(cause);
}

void client::close_session() {
    if (!connection_ || ending_)
        return;
    if (!connection_->send_close())
        return finish_later(); // the session is left to expire
    closing_ = true;
}

void client::abandon() noexcept {
    try {
        if (connection_ && !closing_ && process_.is_here() && connection_->send_close()) {
            boost::system::error_code ignored; // the session is left to expire then
            socket_.write_now(connection_->output(), ignored);
        }
    } catch (...) { // there was no memory for it: then too
    }
    let_go();
}

} // namespace turnstile::zookeeper
