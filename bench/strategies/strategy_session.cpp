// SPDX-License-Identifier: BSL-1.0
#include "strategy_session.hpp"

#include "protocol/names/server_list.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <boost/system/errc.hpp>

#include <stdexcept>
#include <utility>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

// As long as the longest that the private server grants: a herd may keep this thread for seconds.
constexpr std::chrono::seconds session_timeout{60};

protocol::server_list parsed(const std::string& servers) {
    const auto list = protocol::server_list::parse(servers);
    if (!list)
        throw std::runtime_error("this is no list of servers: " + servers);
    return *list;
}

std::runtime_error unexpected(const char* what, const std::string& path,
                              protocol::zookeeper_code code) {
    return std::runtime_error(std::string(what) + " of " + path + " failed: ZooKeeper's code " +
                              std::to_string(static_cast<int>(code)));
}

void expect_ok(const char* what, const std::string& path, protocol::zookeeper_code code) {
    if (code != protocol::zookeeper_code::ok)
        throw unexpected(what, path, code);
}

} // namespace

strategy_session::strategy_session(asio::io_context& context, const std::string& servers,
                                   std::size_t which)
    : dice_(static_cast<std::mt19937::result_type>(which)), next_beat_(context) {
    zookeeper::client_options options;
    options.servers = parsed(servers);
    options.rights = std::make_shared<zookeeper::access>(); // anybody may do anything
    options.log_level = 0;
    server_ = which % options.servers.servers.size();
    const asio::any_io_executor executor = context.get_executor();
    zookeeper::client_events& told = *this;
    client_ = std::make_shared<zookeeper::client>(zookeeper::session_strand(executor),
                                                  std::move(options), told);
}

strategy_session::~strategy_session() { client_->abandon(); }

asio::awaitable<void> strategy_session::connect() {
    client_->connect({.server = server_, .session = {}, .timeout = session_timeout});
    return ends_of_connect_.wait();
}

asio::awaitable<void> strategy_session::close() {
    next_beat_.cancel();
    client_->close_session();
    client_->end_turn();
    return ends_of_close_.wait();
}

asio::awaitable<std::string> strategy_session::enqueue(std::string path, std::string prefix) {
    const auto made =
        co_await create(path, std::move(prefix), protocol::step_kind::create_sequential);
    expect_ok("create", path, made.code);
    co_return made.path.substr(made.path.rfind('/') + 1);
}

asio::awaitable<bool> strategy_session::try_create(std::string path, std::string name) {
    const auto made = co_await create(path, std::move(name), protocol::step_kind::create_ephemeral);
    if (made.code == protocol::zookeeper_code::node_exists)
        co_return false;
    expect_ok("create", path, made.code);
    co_return true;
}

// The bridge has no other create of an ephemeral node than as a step of a transaction.
asio::awaitable<protocol::step_result> strategy_session::create(std::string path, std::string name,
                                                                protocol::step_kind kind) {
    protocol::request what;
    what.op = protocol::operation::transact;
    what.steps.push_back({.what = kind, .path = path + '/' + name});
    for (;;) {
        const auto answer = co_await ask(what);
        auto result = answer.results.empty() ? protocol::step_result{} : answer.results.front();
        result.code = answer.code;
        if (result.code != protocol::zookeeper_code::no_node)
            co_return result;
        co_await make_path(path); // the first on the path, or an empty container was reaped
    }
}

asio::awaitable<void> strategy_session::make_path(std::string path) {
    for (auto slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        protocol::request what;
        what.op = protocol::operation::create_container;
        what.path = path.substr(0, slash);
        const auto made = co_await ask(what);
        if (made.code != protocol::zookeeper_code::node_exists)
            expect_ok("create", what.path, made.code);
        if (slash == std::string::npos)
            co_return;
    }
}

asio::awaitable<std::vector<std::string>> strategy_session::list(std::string path, watching how) {
    protocol::request what;
    what.op = protocol::operation::get_children;
    what.path = path;
    what.watch = how == watching::yes;
    auto answer = co_await ask(what);
    expect_ok("listing", path, answer.code);
    co_return std::move(answer.children);
}

asio::awaitable<bool> strategy_session::watch(std::string node, protocol::operation by) {
    protocol::request what;
    what.op = by;
    what.path = node;
    what.watch = true;
    const auto answer = co_await ask(what);
    if (answer.code == protocol::zookeeper_code::no_node)
        co_return false;
    expect_ok("watch", node, answer.code);
    co_return true;
}

void strategy_session::remove(std::string node, removed_handler done) {
    protocol::request what;
    what.op = protocol::operation::remove;
    what.path = std::move(node);
    send(what,
         [done = std::move(done)](const std::exception_ptr& lost, const protocol::reply& answer) {
             const bool good = !lost && answer.code == protocol::zookeeper_code::ok;
             done(good ? boost::system::error_code{}
                       : make_error_code(boost::system::errc::protocol_error));
         });
}

asio::awaitable<void> strategy_session::remove(std::string node) {
    protocol::request what;
    what.op = protocol::operation::remove;
    what.path = node;
    const auto answer = co_await ask(what);
    expect_ok("delete", node, answer.code);
}

std::size_t strategy_session::waiting() const {
    std::size_t all = 0;
    for (const auto& [node, waiters] : watches_)
        all += waiters.size();
    return all;
}

asio::awaitable<protocol::reply> strategy_session::ask(protocol::request what) {
    return asio::async_initiate<const asio::use_awaitable_t<>&,
                                void(std::exception_ptr, protocol::reply)>(
        [this](auto handler, const protocol::request& asked) { send(asked, std::move(handler)); },
        asio::use_awaitable, std::move(what));
}

void strategy_session::send(const protocol::request& what, answer_handler done) {
    if (!connected_)
        throw std::runtime_error("the session is not connected: " + trouble_);
    open_.emplace(++last_id_, std::move(done));
    client_->send(last_id_, what);
    client_->end_turn(); // does nothing while the client tells of what has arrived
}

void strategy_session::on_connected(const protocol::credentials&, protocol::duration) {
    connected_ = true;
    beat_later();
    ends_of_connect_.wake();
}

// A session that only waits would expire.
void strategy_session::beat_later() {
    next_beat_.expires_after(session_timeout / 3);
    next_beat_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled || !connected_)
            return;
        send({.op = protocol::operation::exists, .path = "/"},
             [](const std::exception_ptr&, const protocol::reply&) {});
        beat_later();
    });
}

void strategy_session::on_disconnected(protocol::disconnect_reason why) {
    connected_ = false;
    next_beat_.cancel();
    if (why == protocol::disconnect_reason::closed)
        trouble_ = "it was closed";
    const auto lost = std::make_exception_ptr(
        std::runtime_error("no connection to " + client_->server() + ": " + trouble_));
    ends_of_connect_.wake(lost);
    for (auto& [id, done] : std::exchange(open_, {}))
        std::move(done)(lost, protocol::reply{});
    for (auto& [node, waiters] : std::exchange(watches_, {}))
        waiters.wake(lost);
    ends_of_close_.wake(why == protocol::disconnect_reason::closed ? nullptr : lost);
}

void strategy_session::on_reply(protocol::request_id id, const protocol::reply& answer) {
    const auto found = open_.find(id);
    if (found == open_.end())
        return;
    auto done = std::move(found->second);
    open_.erase(found);
    std::move(done)(std::exception_ptr{}, answer);
}

void strategy_session::on_watch(protocol::watch_event, const std::string& node) {
    const auto found = watches_.find(node);
    if (found == watches_.end())
        return;
    auto waiters = std::move(found->second);
    watches_.erase(found);
    woken_ += waiters.size();
    waiters.wake_in_any_order(dice_);
}

} // namespace turnstile::bench
