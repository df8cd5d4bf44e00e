// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/client.hpp"

#include "zookeeper/handshake_turns.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <algorithm>
#include <cassert>
#include <concepts>
#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

namespace {

// A connection that is about to end still reads what has arrived, but at most this many times: the
// peer may go on sending.
constexpr std::size_t most_last_reads = 64;

// Writes the address as the C client parses it.
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
      resolver_(std::make_unique<resolver>(executor, options_.servers.servers)),
      name_limit_(executor),
      socket_(executor) {
    if (options_.identity)
        login_.emplace(executor, options_.identity);
}

client::~client() { abandon(); }

template <class Work>
void client::call_reporting(Work work) {
    if (!process_.is_here())
        return; // this is a forked child: the connection is the parent's
    try {
        work();
    } catch (...) {
        events_.on_failure();
        throw;
    }
}

template <class Work>
auto client::later_step(Work work) {
    return [weak = weak_from_this(), generation = generation_, work](const auto& step) {
        const auto self = weak.lock();
        if (self && self->generation_ == generation && !self->ending_)
            self->call_reporting([&] { work(*self, step); });
    };
}

template <class Work>
auto client::later(Work work) {
    return [weak = weak_from_this(), generation = generation_,
            work](const boost::system::error_code& error = {}, std::size_t count = 0) {
        const auto self = weak.lock();
        if (!self || self->generation_ != generation ||
            (error && error == asio::error::operation_aborted))
            return;
        self->call_reporting([&] {
            if constexpr (std::invocable<const Work&, client&>)
                work(*self);
            else
                work(*self, error, count);
        });
    };
}

// ---- an attempt: TLS files, the name, the address, TLS, SASL, the handshake ----

void client::connect(const protocol::connect_request& to) {
    assert(phase_ == phase::idle); // port.hpp: the one before has ended, and that was reported
    free_connection();
    phase_ = phase::preparing;
    attempt_ = to;
    server_ = options_.servers.servers[to.server].str();
    trouble_.clear();
    tls_context_.reset();
    if (options_.tls)
        asio::post(executor_, later([](client& self) { self.take_tls_context(); }));
    else
        check_login();
}

void client::take_tls_context() {
    find_tls_context(
        executor_, *options_.tls, later_step([](client& self, const tls_context& found) {
            self.tls_context_ = found.made;
            if (self.tls_context_)
                return self.check_login();
            self.fail(found.wrong, found.may_pass ? protocol::disconnect_reason::lost
                                                  : protocol::disconnect_reason::unusable);
        }));
}

void client::check_login() {
    if (!login_ || is_login_checked_)
        return look_up_name();
    login_->check(later_step([](client& self, const sasl_step& found) {
        if (!found.wrong.empty())
            return self.fail(found.wrong, found.unusable ? protocol::disconnect_reason::unusable
                                                         : protocol::disconnect_reason::lost);
        self.is_login_checked_ = true;
        self.look_up_name();
    }));
}

void client::look_up_name() {
    auto go_on = later([](client& self) { self.use_address(); });
    if (resolver_->look_up(attempt_.server, [go_on]() mutable { go_on(); }))
        await_name();
    else
        asio::post(executor_, std::move(go_on));
}

// A fresh answer is better than a known address, since pods move. But it may not come soon. Then a
// known address is used. If only other servers have known addresses, this attempt ends, and another
// server is tried. Otherwise it waits on.
void client::await_name() {
    name_limit_.expires_after(attempt_.timeout / 32);
    name_limit_.async_wait(later([](client& self) {
        if (self.phase_ != phase::preparing)
            return;
        if (self.resolver_->knows(self.attempt_.server))
            self.use_address();
        else if (self.resolver_->knows_any())
            self.drop();
        else
            self.await_name();
    }));
}

void client::use_address() {
    if (phase_ != phase::preparing || ending_)
        return;
    phase_ = phase::connecting;
    name_limit_.cancel();
    const auto to = resolver_->due(attempt_.server);
    if (!to || !socket_.open(to->protocol())) {
        return fail(to ? "no socket can be opened here"
                       : "its name cannot be looked up: " + resolver_->trouble(attempt_.server));
    }
    socket_.connect(
        *to, later([to = *to](client& self, const boost::system::error_code& error, std::size_t) {
            if (!error)
                return self.options_.tls ? self.await_turn(to) : self.begin_login(to);
            const auto address = text_of(to);
            self.fail(self.cause_of(error) + (address == self.server_ ? "" : " (" + address + ')'));
        }));
}

void client::await_turn(const asio::ip::tcp::endpoint& server) {
    auto& turns =
        asio::use_service<handshake_turns>(asio::query(executor_, asio::execution::context));
    turns.enter(executor_, later([server](client& self) { self.begin_tls(server); }));
}

void client::begin_tls(const asio::ip::tcp::endpoint& server) {
    const auto& name = options_.tls->server_name;
    socket_.use_tls(tls_context_,
                    name.empty() ? options_.servers.servers[attempt_.server].name() : name);
    socket_.handshake(
        later([server](client& self, const boost::system::error_code& error, std::size_t) {
            if (!error)
                return self.begin_login(server);
            self.fail(self.cause_of(error));
        }));
}

void client::begin_login(const asio::ip::tcp::endpoint& server) {
    if (!login_)
        return start_handshake(server);
    has_sent_last_token_ = false;
    login_->begin(options_.servers.servers[attempt_.server].name(),
                  later_step([server](client& self, const sasl_step& first) {
                      if (first.wrong.empty())
                          return self.start_handshake(server, &first);
                      self.fail(first.wrong);
                  }));
}

void client::on_login_answer(const frames::sasl_answer& answer) {
    if (answer.error != 0)
        return fail("the server refused " + login_->identity() + " in SASL",
                    protocol::disconnect_reason::auth_failed);
    if (has_sent_last_token_)
        return on_login_step({.is_last = true});
    login_->answer(answer.token, later_step([](client& self, const sasl_step& step) {
                       self.on_login_step(step);
                   }));
}

void client::on_login_step(const sasl_step& step) {
    if (!step.wrong.empty())
        return fail(step.wrong, step.by_server ? protocol::disconnect_reason::auth_failed
                                               : protocol::disconnect_reason::lost);
    has_sent_last_token_ = step.is_last;
    if (step.sends) {
        connection_->send_sasl(step.token);
        return flush();
    }
    login_->succeed();
    connection_->end_sasl();
    pump();
}

void client::start_handshake(const asio::ip::tcp::endpoint& server, const sasl_step* first) {
    connection_ = std::make_unique<connection>(connection_options{
        .server = text_of(server) + options_.servers.chroot,
        .timeout = std::chrono::duration_cast<std::chrono::milliseconds>(attempt_.timeout),
        .session = attempt_.session,
        .rights = options_.rights,
        .log_level = options_.log_level,
        .sasl_token = first ? std::optional(first->token) : std::nullopt});
    has_sent_last_token_ = first && first->is_last;
    read();
    pump();
}

// ---- input ----

void client::read() {
    socket_.read(later([](client& self, const boost::system::error_code& error, std::size_t count) {
        self.on_read(error, count);
    }));
}

// There are three cases:
// 1. The frame that closes the session was sent: only the end of the connection is awaited.
// 2. The connection is ending for another reason: what has arrived is read to its end, up to a
//    limit, and then reported.
// 3. The connection goes on: what has arrived is reported, and the next read begins.
void client::on_read(const boost::system::error_code& error, std::size_t count) {
    connection_->receive(socket_.bytes(count));
    if (phase_ == phase::closing && !ending_) // the C client reads no answer any more
        return error ? finish(protocol::disconnect_reason::lost) : read();
    if (ending_ && !error && ++last_reads_ < most_last_reads)
        return read();
    const auto generation = generation_;
    pump();
    if (generation != generation_)
        return; // pump() has ended this connection
    if (!error && !ending_)
        return read();
    fail(cause_of(error), reason_of(connection_->state()));
}

void client::pump() {
    const auto generation = generation_;
    pumping_ = true; // requests that handlers send meanwhile leave with the flush below
    connection_->pump();
    reported_ = connection_->take_events(std::move(reported_));
    for (const auto& event : reported_) {
        report_event(event);
        if (generation != generation_)
            return; // free_connection() was called, and pumping_ is false again
    }
    pumping_ = false;
    if (ending_)
        return;
    if (connection_->missed_event())
        return finish_later();
    if (!connection_->is_live())
        return finish(reason_of(connection_->state()));
    if (const auto answer = connection_->take_sasl_answer())
        return on_login_answer(*answer);
    flush();
}

void client::report_event(const connection_event& event) {
    if (const auto connected = std::get_if<connected_event>(&event)) {
        phase_ = phase::connected;
        events_.on_connected(connected->session, connected->timeout);
    } else if (const auto reply = std::get_if<reply_event>(&event)) {
        events_.on_reply(reply->id, reply->answer);
    } else if (const auto fired = std::get_if<watch_fired_event>(&event)) {
        events_.on_watch(fired->what, fired->node);
    } else if (const auto trouble = std::get_if<trouble_event>(&event)) {
        record_cause(trouble->cause);
    } else if (const auto log = std::get_if<log_event>(&event)) {
        events_.on_log(log->text);
    }
}

// ---- a new list of servers ----

void client::set_servers(protocol::server_list list) {
    if (tried_move_ && tried_move_->list().servers == list.servers)
        return;
    tried_move_.reset();
    if (list.servers == (reached_move_ ? reached_move_->list() : options_.servers).servers)
        return;
    const bool is_reached = is_at_one_of(list);
    tried_move_ = std::make_shared<server_move>(
        executor_, std::move(list),
        server_move::handlers{
            .reached = [this] { on_move(); },
            .failed = [this](const std::string& causes) { events_.on_servers_failed(causes); },
            .threw = [this] { events_.on_failure(); }});
    if (is_reached) // this connection is at a server of the list
        tried_move_->use_untried();
    else
        tried_move_->begin(attempt_.timeout / 8);
}

void client::stop_trying_servers() {
    if (tried_move_)
        tried_move_->use_untried();
}

bool client::is_at_one_of(const protocol::server_list& list) const {
    return phase_ == phase::connected && !ending_ &&
           std::ranges::find(list.servers, options_.servers.servers[attempt_.server]) !=
               list.servers.end();
}

// An index into the list of servers stays valid until the attempt or the connection has ended. So a
// new list is used at once only between connections, or if this one is at a server of the list.
void client::on_move() {
    reached_move_ = std::exchange(tried_move_, nullptr);
    const auto& servers = reached_move_->list().servers;
    const auto count = servers.size();
    auto first = reached_move_->server();
    const bool stays = is_at_one_of(reached_move_->list());
    if (stays) {
        const auto here = std::ranges::find(servers, options_.servers.servers[attempt_.server]);
        first = attempt_.server = static_cast<std::size_t>(here - servers.begin());
    }
    if (stays || phase_ == phase::idle)
        use_new_servers();
    else
        record_cause("it is not in the new list of servers");
    events_.on_servers(count, first, stays);
}

void client::use_new_servers() {
    options_.servers = reached_move_->list();
    resolver_ = reached_move_->take_resolver();
    reached_move_.reset();
}

// ---- output: requests leave in one write at the end of a turn ----

void client::send(protocol::request_id id, const protocol::request& what) {
    if (!connection_ || ending_ || phase_ == phase::closing)
        return; // the end of the connection answers all requests
    connection_->send(id, what);
    if (connection_->state() != connection::status::connected)
        return finish_later();
    if (connection_->has_events() && !pumping_) // such as: the request was refused at once
        asio::post(executor_, later([](client& self) {
                       if (self.connection_ && !self.ending_ && self.phase_ != phase::closing)
                           self.pump();
                   }));
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
        if (error == asio::error::would_block) {
            blocked_ = true;
            socket_.wait_writable(later([](client& self) {
                self.blocked_ = false;
                if (self.connection_ && !self.ending_)
                    self.flush();
            }));
        } else {
            record_cause(cause_of(error));
            return finish_later();
        }
    }
}

// ---- the end of a connection, whichever side ends it ----

void client::free_connection() noexcept {
    ++generation_;
    name_limit_.cancel();
    if (login_)
        login_->cancel();
    socket_.close();
    connection_.reset();
    phase_ = phase::idle;
    blocked_ = ending_ = pumping_ = false;
}

void client::fail(std::string cause, protocol::disconnect_reason why) {
    record_cause(std::move(cause));
    finish(why);
}

void client::finish(protocol::disconnect_reason why) {
    const bool is_closing = phase_ == phase::closing;
    if (is_closing && connection_->close_was_answered())
        why = protocol::disconnect_reason::closed;
    else if (why == protocol::disconnect_reason::lost)
        why = advance_after_loss();
    else if (why == protocol::disconnect_reason::auth_failed)
        why = advance_after_refusal();
    else if (why == protocol::disconnect_reason::not_restored)
        resolver_->next(attempt_.server);
    free_connection();
    if (reached_move_)
        use_new_servers();
    if (!is_closing &&
        why != protocol::disconnect_reason::expired) { // an expiry is no server's fault
        record_cause("the connection was lost");
        events_.on_trouble(trouble_);
    }
    events_.on_disconnected(why);
}

protocol::disconnect_reason client::advance_after_loss() {
    if (phase_ == phase::preparing)
        return protocol::disconnect_reason::no_address; // none was tried
    if (phase_ == phase::connecting && resolver_->next(attempt_.server))
        return protocol::disconnect_reason::one_address; // more of this server are due
    if (phase_ != phase::connecting)
        resolver_->served(attempt_.server);
    return protocol::disconnect_reason::lost;
}

protocol::disconnect_reason client::advance_after_refusal() {
    record_cause("the server refused an identity");
    const bool is_due_again =
        (login_ && login_->may_help_again()) || resolver_->next(attempt_.server);
    return is_due_again ? protocol::disconnect_reason::refused_once
                        : protocol::disconnect_reason::auth_failed;
}

void client::drop() {
    if (phase_ == phase::idle)
        return;
    record_cause(what_is_missing());
    finish_later();
}

std::string client::what_is_missing() const {
    if (phase_ == phase::preparing && options_.tls && !tls_context_)
        return "the files of TLS are still being read";
    if (login_ && login_->is_busy())
        return phase_ == phase::preparing
                   ? "the files of SASL are still being read"
                   : "SASL still works on a token here: its KDC or its name service may not answer";
    if (phase_ == phase::preparing)
        return "its name is still being looked up";
    return "no answer in time";
}

void client::finish_later() {
    if (std::exchange(ending_, true))
        return;
    asio::post(executor_, later([](client& self) {
                   if (!self.connection_)
                       return self.finish(protocol::disconnect_reason::lost);
                   self.last_reads_ = 0;
                   self.socket_.shutdown(); // the read under way comes to its end: see on_read()
               }));
}

// Says why the other side or the network has ended the connection.
std::string client::cause_of(const boost::system::error_code& error) {
    namespace errors = asio::error;
    if (auto trouble = socket_.trouble(error); error && !trouble.empty())
        return trouble;
    const bool closed =
        error == errors::eof || error == errors::connection_reset || error == errors::broken_pipe;
    // A reset may come even before the connect is reported: then there is no connection_.
    if (closed && (!connection_ || connection_->state() == connection::status::connecting))
        return "the server closed the connection before it answered: it may have no majority, "
               "maxClientCnxns of its zoo.cfg may be reached, or this port may be one with TLS";
    if (!error)
        return "the connection was given up";
    return error == errors::eof ? "the server closed the connection" : error.message();
}

// Only the first cause is kept: later ones are its effects.
void client::record_cause(std::string cause) {
    if (trouble_.empty())
        trouble_ = std::move(cause);
}

void client::close_session() {
    if (!connection_ || ending_)
        return;
    if (!connection_->send_close())
        return finish_later(); // no close can be sent: the session is left to expire
    phase_ = phase::closing;
}

void client::abandon() noexcept {
    try {
        if (connection_ && phase_ != phase::closing && process_.is_here() &&
            connection_->send_close()) {
            boost::system::error_code ignored; // if it cannot be written, the session expires
            socket_.write_now(connection_->output(), ignored);
        }
    } catch (...) { // there is no memory for the frame: the session expires
    }
    free_connection();
    resolver_->cancel();
    tried_move_.reset();
}

} // namespace turnstile::zookeeper
