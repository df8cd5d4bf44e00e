// SPDX-License-Identifier: BSL-1.0
#include "real_side.hpp"

#include "session/values/access.hpp"
#include "support/foreign_client.hpp"
#include "support/server_view.hpp"
#include "zookeeper/identity.hpp"

#include <boost/asio/strand.hpp>

#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::disconnect_reason;

namespace {

constexpr protocol::request_id flush_id = 1ULL << 40; // its answer is no part of the script
constexpr std::chrono::milliseconds long_timeout = 30s;
constexpr std::chrono::milliseconds short_timeout = 400ms; // the shortest that the server grants

// One that may do what the sessions may.
foreign_client hand_at(const std::string& address) {
    return foreign_client{
        {.address = address,
         .digest = std::string(zookeeper::guard_user) + ':' + zookeeper::guard_password}};
}

void deny(int denied, const std::string& address, const std::string& path) {
    constexpr int all = 31;
    if (const int rc = hand_at(address).set_acl(path, {{"world", "anyone", all & ~denied}});
        rc != 0)
        throw std::runtime_error("cannot set the rights of " + path + ": " + std::to_string(rc));
}

} // namespace

bool exists_needs_read(const std::string& address) {
    constexpr auto hidden = "/hidden";
    constexpr int read = 1;
    constexpr int no_auth = -102;
    auto hand = hand_at(address);
    hand.create(hidden); // or it is there already
    deny(read, address, hidden);
    return hand.exists(hidden) == no_auth;
}

class real_side::ear final : public zookeeper::client_events {
public:
    ear(const zookeeper::session_strand& executor, const std::string& server, std::string root)
        : port(std::make_shared<zookeeper::client>(
              executor,
              zookeeper::client_options{.servers =
                                            protocol::server_list::parse(server + root).value(),
                                        .rights = detail::access_of({}),
                                        .log_level = 0},
              *this)),
          root_(std::move(root)) {}

    void on_connected(const protocol::credentials& which, protocol::duration) override {
        connected = true;
        session = which;
        words.emplace_back(reports::connected{which.session_id});
    }
    void on_disconnected(disconnect_reason why) override {
        connected = trying = false;
        open = 0;
        if (why != disconnect_reason::lost)
            session = {};
        words.emplace_back(reports::end{why});
    }
    void on_failure() noexcept override {}                      // the exception ends the run
    void on_servers(std::size_t, std::size_t, bool) override {} // they stay what they are
    void on_servers_failed(const std::string&) override {}
    void on_reply(protocol::request_id id, const protocol::reply& answer) override {
        --open;
        if (id == flush_id)
            return;
        auto told = answer;
        if (told.path.starts_with(root_ + '/')) // in a transaction the server tells it whole
            told.path.erase(0, root_.size());
        for (auto& each : told.results)
            if (each.path.starts_with(root_ + '/'))
                each.path.erase(0, root_.size());
        if (of_root_.contains(id)) // a server's own root was made by no transaction
            told.stat = {.children = told.stat.children, .version = told.stat.version};
        words.emplace_back(reports::answer{id, std::move(told)});
    }
    void on_watch(protocol::watch_event what, const std::string& node) override {
        words.emplace_back(reports::event{what, node});
    }
    void on_trouble(const std::string&) override {}
    void on_log(std::string_view) override {}

    void ask(protocol::request_id id, const protocol::request& what) {
        ++open;
        if (what.path == "/")
            of_root_.insert(id);
        port->send(id, what);
    }

    std::shared_ptr<zookeeper::client> port;
    protocol::credentials session;
    bool connected = false;
    bool trying = false;
    std::size_t open = 0;
    std::vector<heard> words;

private:
    const std::string root_;
    std::set<protocol::request_id> of_root_;
};

real_side::real_side(const std::string& address, std::string root, std::size_t sessions)
    : address_(address), root_(std::move(root)) {
    if (const int rc = hand_at(address_).create(root_); rc != 0)
        throw std::runtime_error("cannot make " + root_ + ": " + std::to_string(rc));
    const boost::asio::any_io_executor executor = context_.get_executor();
    for (std::size_t i = 0; i < sessions; ++i)
        ears_.push_back(
            std::make_unique<ear>(zookeeper::session_strand(executor), address_, root_));
}

real_side::~real_side() {
    for (const auto& each : ears_)
        each->port->abandon();
}

std::vector<std::vector<heard>> real_side::listen() {
    std::vector<std::vector<heard>> result;
    for (const auto& each : ears_)
        result.push_back(std::exchange(each->words, {}));
    return result;
}

void real_side::take(const step& next) {
    auto& who = *ears_[next.who];
    switch (next.what) {
    case step::kind::connect:
        connect(who, long_timeout);
        break;
    case step::kind::ask:
        for (const auto& [id, what] : next.asked)
            who.ask(id, what);
        who.port->end_turn();
        wait([&] { return who.open == 0; });
        break;
    case step::kind::cut:
        who.port->drop();
        wait([&] { return !who.connected; });
        break;
    case step::kind::close:
        who.port->close_session();
        who.port->end_turn();
        wait([&] { return !who.connected; });
        break;
    case step::kind::session_end:
        expire_session(address_, who.session.session_id, who.session.password);
        wait([&] { return !who.connected; });
        break;
    case step::kind::expire:
        expire(who);
        break;
    case step::kind::remove:
        hand_at(address_).remove(root_ + next.path);
        break;
    case step::kind::set:
        hand_at(address_).set(root_ + next.path, "by hand");
        break;
    case step::kind::deny:
        give_all_but(1 << static_cast<int>(next.right), next.path);
        break;
    case step::kind::allow:
        give_all_but(0, next.path);
        break;
    }
    flush();
}

void real_side::connect(ear& which, std::chrono::milliseconds timeout) {
    which.trying = true;
    which.port->connect({.session = which.session, .timeout = timeout});
    wait([&] { return which.connected || !which.trying; });
}

// The session itself goes: its last connection asks for the shortest timeout, and breaks.
void real_side::expire(ear& which) {
    while (!which.connected)
        connect(which, short_timeout);
    which.port->drop();
    wait([&] { return !which.connected; });
    const auto port =
        static_cast<std::uint16_t>(std::stoi(address_.substr(address_.rfind(':') + 1)));
    wait([&] { return word_on_session(port, which.session.session_id).empty(); });
}

void real_side::give_all_but(int denied, const std::string& path) {
    deny(denied, address_, root_ + path);
}

// An event is sent before the answer to whatever is asked after it: one more answer on each
// connection, and all events have come.
void real_side::flush() {
    for (const auto& each : ears_)
        if (each->connected) {
            each->ask(flush_id, {.op = protocol::operation::exists, .path = "/"});
            each->port->end_turn();
        }
    for (const auto& each : ears_)
        wait([&] { return each->open == 0; });
}

void real_side::wait(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (!done()) {
        if (std::chrono::steady_clock::now() >= end)
            throw std::runtime_error("the real server does not answer");
        context_.restart();
        context_.run_one_for(10ms);
    }
}

} // namespace turnstile::test
