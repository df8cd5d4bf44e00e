#include "zookeeper/client.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

namespace {

// Bytes of requests after which the socket is looked at, whether it takes more.
constexpr std::size_t most_unpumped = 16 * 1024;

protocol::disconnect_reason reason_of(connection::status state) {
    switch (state) {
    case connection::status::expired:
        return protocol::disconnect_reason::expired;
    case connection::status::auth_failed:
        return protocol::disconnect_reason::auth_failed;
    default:
        return protocol::disconnect_reason::lost;
    }
}

} // namespace

client::client(const strand& executor, client_options options, client_events& events)
    : executor_(executor),
      options_(std::move(options)),
      events_(events),
      resolver_(executor),
      patience_(executor),
      socket_(executor) {}

client::~client() { abandon(); }

template <class Work>
void client::guard(Work work) {
    if (!process_.is_here())
        return; // a forked child's: the connection is the parent's
    try {
        work();
    } catch (...) {
        events_.on_failure();
        throw;
    }
}

// What the reactor calls: by then the connection that it was meant for may be gone, or the client.
template <class Work>
auto client::later(Work work) {
    return [weak = weak_from_this(), generation = generation_,
            work](const boost::system::error_code& error = {}) {
        const auto self = weak.lock();
        if (!self || self->generation_ != generation || error == asio::error::operation_aborted)
            return;
        self->guard([&] { work(*self); });
    };
}

void client::connect(const protocol::connect_request& to) {
    let_go(); // of an attempt whose end is still on its way
    attempting_ = true;
    resolver_.resolve(options_.servers.servers[to.server], to.attempt,
                      [weak = weak_from_this(), generation = generation_,
                       to](const std::optional<std::string>& address) {
                          const auto self = weak.lock();
                          if (!self || self->generation_ != generation || !self->attempting_)
                              return;
                          self->guard([&] {
                              if (address)
                                  return self->open(*address, to);
                              self->events_.on_log(protocol::note_level::warning,
                                                   "cannot resolve the name of a server");
                              self->finish(protocol::disconnect_reason::lost);
                          });
                      });
}

void client::open(const std::string& address, const protocol::connect_request& to) {
    connection_ = std::make_unique<connection>(connection_options{
        .server = address + options_.servers.chroot,
        .timeout = std::chrono::duration_cast<std::chrono::milliseconds>(to.timeout),
        .session = to.session,
        .rights = options_.rights,
        .log_level = options_.log_level});
    if (connection_->socket() < 0) {
        deliver();
        return finish(protocol::disconnect_reason::lost);
    }
    if (!socket_.open(connection_->socket()))
        return finish(protocol::disconnect_reason::lost);
    arm();
}

void client::arm() {
    if (connection_->wants_write() && !socket_.waits_for_writability())
        wait_writable();
    // While the connect is under way only writability tells, and a read would do harm.
    const bool connecting = connection_->state() == connection::status::connecting;
    if (!reading_ && !(connecting && connection_->wants_write()))
        wait_readable();
    if (resting_)
        return; // activity only moves the client's own limits later: look when it fires
    resting_ = true;
    patience_.expires_after(connection_->patience());
    patience_.async_wait(asio::bind_executor(executor_, later([](client& self) {
                                                 self.resting_ = false;
                                                 self.pump(connection::occasion::patience_over);
                                             })));
}

void client::wait_readable() {
    reading_ = true;
    socket_.wait_readable(later([](client& self) {
        self.reading_ = false;
        self.on_ready();
    }));
}

void client::wait_writable() {
    const auto on_writable = later([](client& self) {
        self.socket_.end_wait_for_writability();
        self.on_ready();
    });
    if (!socket_.wait_writable(connection_->socket(), on_writable))
        finish_later();
}

void client::on_ready() {
    if (closing_)
        return drain_after_close();
    pump(connection::occasion::readiness);
}

void client::pump(connection::occasion why) {
    if (!connection_ || ending_ || closing_)
        return;
    unpumped_ = 0;
    connection_->pump(why);
    const auto generation = generation_;
    deliver();
    if (generation != generation_ || !connection_ || ending_)
        return;
    if (connection_->is_deaf())
        return finish_later();
    if (connection_->state() == connection::status::connecting ||
        connection_->state() == connection::status::connected)
        return arm();
    finish(reason_of(connection_->state()));
}

void client::deliver() {
    const auto generation = generation_;
    auto events = connection_->take_events(std::exchange(delivered_, {}));
    for (const auto& event : events) {
        deliver(event);
        if (generation != generation_)
            return;
    }
    events.clear();
    delivered_ = std::move(events);
}

void client::deliver(const connection_event& event) {
    if (const auto connected = std::get_if<connected_event>(&event)) {
        attempting_ = false;
        events_.on_connected(connected->session, connected->timeout);
    } else if (const auto reply = std::get_if<reply_event>(&event)) {
        events_.on_reply(reply->id, reply->answer);
    } else if (const auto fired = std::get_if<watch_fired_event>(&event)) {
        events_.on_watch(fired->what, fired->node);
    } else if (const auto log = std::get_if<log_event>(&event)) {
        events_.on_log(log->level, log->text);
    }
}

void client::send(protocol::request_id id, const protocol::request& what) {
    if (!connection_ || ending_ || closing_)
        return; // answered by the end of the connection
    connection_->send(id, what);
    unpumped_ += what.path.size() + what.data.size();
    if (connection_->state() != connection::status::connected)
        return finish_later();
    if (connection_->wants_write() && !socket_.waits_for_writability())
        wait_writable();
    // Refused at once, or logged; or the socket may be full, which only a pump finds out.
    if ((connection_->has_events() || unpumped_ > most_unpumped) && !pump_posted_)
        pump_later();
}

void client::pump_later() {
    pump_posted_ = true;
    asio::post(executor_, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->pump_posted_ = false;
            self->guard([&] { self->pump(connection::occasion::readiness); });
        }
    });
}

void client::drop() {
    if (attempting_ || connection_)
        finish_later();
}

void client::finish_later() {
    if (ending_)
        return;
    ending_ = true;
    asio::post(executor_, later([](client& self) {
                   auto why = protocol::disconnect_reason::lost;
                   const auto generation = self.generation_;
                   if (self.connection_) {
                       why = reason_of(self.connection_->state());
                       self.connection_->cut();
                       self.deliver(); // what had arrived was answered
                   }
                   if (self.generation_ == generation)
                       self.finish(why);
               }));
}

} // namespace turnstile::zookeeper
