#include "zookeeper/client_later.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

#include <cassert>
#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

namespace {

// Of reads between the wish to end a connection and its end: a peer may go on sending.
constexpr std::size_t most_last_reads = 64;

// Events whose memory is kept for the next ones.
constexpr std::size_t most_room = 64;

// As the C client parses it.
std::string text_of(const asio::ip::tcp::endpoint& server) {
    return server.address().to_string() + ':' + std::to_string(server.port());
}

protocol::disconnect_reason reason_of(connection::status state) {
    switch (state) {
    case connection::status::expired:
        return protocol::disconnect_reason::expired;
    case connection::status::not_restored:
        return protocol::disconnect_reason::not_restored;
    case connection::status::auth_failed:
        return protocol::disconnect_reason::auth_failed;
    default:
        return protocol::disconnect_reason::lost;
    }
}

} // namespace

client::client(const session_strand& executor, client_options options, client_events& events)
    : executor_(executor),
      options_(std::move(options)),
      events_(events),
      resolver_(executor, options_.servers.servers),
      patience_(executor),
      socket_(executor) {}

client::~client() { abandon(); }

void client::connect(const protocol::connect_request& to) {
    assert(!connection_ && !attempting_); // the end of the one before was told: port.hpp
    let_go();
    attempting_ = naming_ = true;
    wish_ = to;
    server_ = options_.servers.servers[to.server].str();
    trouble_.clear();
    auto found = later(
        [](client& self, const boost::system::error_code&, std::size_t) { self.use_address(); });
    if (resolver_.look_up(to.server, [found]() mutable { found(); }))
        await_name();
    else
        asio::post(executor_, std::move(found));
}

// The answer is better than addresses that are known: pods move. But these are tried before long,
// and other servers as well.
void client::await_name() {
    patience_.expires_after(wish_.timeout / 32);
    patience_.async_wait(asio::bind_executor(
        executor_, later([](client& self, const boost::system::error_code&, std::size_t) {
            if (!self.naming_)
                return;
            if (self.resolver_.knows(self.wish_.server))
                self.use_address();
            else if (self.resolver_.knows_any())
                self.drop();
            else
                self.await_name();
        })));
}

void client::use_address() {
    if (!naming_ || ending_)
        return;
    naming_ = false;
    patience_.cancel();
    if (const auto address = resolver_.due(wish_.server))
        return open(*address);
    blame("its name cannot be looked up: " + resolver_.trouble(wish_.server));
    finish(protocol::disconnect_reason::lost);
}

void client::open(const asio::ip::tcp::endpoint& to) {
    if (!socket_.open(to.protocol())) {
        blame("no socket can be opened here");
        return finish(protocol::disconnect_reason::lost);
    }
    socket_.connect(to,
                    later([to](client& self, const boost::system::error_code& error, std::size_t) {
                        if (!error)
                            return self.greet(to);
                        const auto address = text_of(to);
                        self.blame(self.cause_of(error) +
                                   (address == self.server_ ? "" : " (" + address + ')'));
                        self.finish(protocol::disconnect_reason::lost);
                    }));
}

void client::greet(const asio::ip::tcp::endpoint& server) {
    connection_ = std::make_unique<connection>(connection_options{
        .server = text_of(server) + options_.servers.chroot,
        .timeout = std::chrono::duration_cast<std::chrono::milliseconds>(wish_.timeout),
        .session = wish_.session,
        .rights = options_.rights,
        .log_level = options_.log_level});
    read();
    pump(connection::occasion::input);
}

void client::read() {
    socket_.read(later([](client& self, const boost::system::error_code& error, std::size_t count) {
        self.on_read(error, count);
    }));
}

void client::on_read(const boost::system::error_code& error, std::size_t count) {
    if (closing_ && !ending_) { // the C client would assert on the answer to our close
        if (error)
            return finish(protocol::disconnect_reason::closed);
        return read();
    }
    connection_->receive(socket_.bytes(count));
    if (ending_ && !error && ++last_reads_ < most_last_reads)
        return read();
    const auto generation = generation_;
    pump(connection::occasion::input);
    if (generation != generation_)
        return;
    if (!error && !ending_)
        return read();
    blame(cause_of(error));
    connection_->end();
    finish(reason_of(connection_->state()));
}

void client::watch_patience() {
    if (resting_)
        return; // activity only moves the client's own limits later: look when it fires
    resting_ = true;
    patience_.expires_after(connection_->patience());
    patience_.async_wait(
        asio::bind_executor(executor_, later([](client& self, const boost::system::error_code&,
                                                std::size_t) { self.on_patience_over(); })));
}

void client::on_patience_over() {
    resting_ = false;
    if (!connection_ || ending_ || closing_)
        return;
    // Replies that lie unread are a sign of life, which the C client would overlook after a stall.
    if (socket_.has_unread())
        return watch_patience();
    // A read that has taken its bytes already is told before this.
    asio::post(executor_, later([](client& self, const boost::system::error_code&, std::size_t) {
                   if (self.connection_ && !self.ending_ && !self.closing_)
                       self.pump(connection::occasion::patience_over);
               }));
}

void client::pump(connection::occasion why) {
    const auto generation = generation_;
    pumping_ = true; // what is sent meanwhile leaves at the end
    connection_->pump(why);
    deliver();
    if (generation != generation_)
        return;
    pumping_ = false;
    settle();
}

// After anything that may have changed the connection.
void client::settle() {
    if (ending_)
        return;
    if (connection_->is_deaf())
        return finish_later();
    const auto state = connection_->state();
    if (state != connection::status::connecting && state != connection::status::connected)
        return finish(reason_of(state));
    flush();
    watch_patience();
}

void client::deliver() {
    const auto generation = generation_;
    std::vector<connection_event> events;
    events.swap(delivered_);
    connection_->take_events(events);
    for (const auto& event : events) {
        deliver(event);
        if (generation != generation_)
            return;
    }
    if (events.capacity() > most_room)
        return; // a crowd of answers leaves no more behind
    events.clear();
    delivered_.swap(events);
}

void client::deliver(const connection_event& event) {
    if (const auto connected = std::get_if<connected_event>(&event)) {
        attempting_ = false;
        events_.on_connected(connected->session, connected->timeout);
    } else if (const auto reply = std::get_if<reply_event>(&event)) {
        events_.on_reply(reply->id, reply->answer);
    } else if (const auto fired = std::get_if<watch_fired_event>(&event)) {
        events_.on_watch(fired->what, fired->node);
    } else if (const auto trouble = std::get_if<trouble_event>(&event)) {
        blame(trouble->cause);
    } else if (const auto log = std::get_if<log_event>(&event)) {
        events_.on_log(log->text);
    }
}

void client::tell_later() {
    if (std::exchange(telling_, true))
        return;
    asio::post(executor_, later([](client& self, const boost::system::error_code&, std::size_t) {
                   self.telling_ = false;
                   self.tell();
               }));
}

void client::tell() {
    if (!connection_ || ending_ || closing_)
        return;
    const auto generation = generation_;
    deliver();
    if (generation == generation_)
        settle();
}

} // namespace turnstile::zookeeper
