// SPDX-License-Identifier: BSL-1.0
// A ZooKeeper session with nothing but requests and watches, for other ways to wait for a lock.
#pragma once

#include "wait_list.hpp"

#include "protocol/wire/message.hpp"
#include "zookeeper/client.hpp"
#include "zookeeper/session_port.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace turnstile::bench {

/// One connection over the bridge by which Turnstile's own session speaks to the C client. An
/// answer resumes its coroutine at once, in the turn in which it arrived; what is sent in that turn
/// leaves in one write. A connection that is lost fails the run: nothing is tried again.
class strategy_session final : private zookeeper::client_events {
public:
    /// The session takes the `which`th server of the list, round and round.
    strategy_session(boost::asio::io_context& context, const std::string& servers,
                     std::size_t which);
    ~strategy_session() override;
    strategy_session(const strategy_session&) = delete;
    strategy_session& operator=(const strategy_session&) = delete;

    boost::asio::awaitable<void> connect();
    boost::asio::awaitable<void> close();

    // Each throws std::runtime_error where the answer is none of those that it tells of.

    /// Makes an ephemeral sequential node below `path`, which is made if it is missing. Tells the
    /// node's name.
    boost::asio::awaitable<std::string> enqueue(std::string path, std::string prefix);
    /// Makes an ephemeral node of this name there. False if there is one.
    boost::asio::awaitable<bool> try_create(std::string path, std::string name);
    /// The names of all children.
    enum class watching { no, yes };
    boost::asio::awaitable<std::vector<std::string>> list(std::string path, watching how);
    /// Sets a watch by an `exists`, or by reading its data, which sets none on a missing node.
    /// Whether the node is there.
    boost::asio::awaitable<bool> watch(std::string node, protocol::operation by);
    /// The next event of a watch on this node, or on its children. To be called in the turn in
    /// which the answer that set it arrived, so that no event comes in between.
    boost::asio::awaitable<void> event(const std::string& node) { return watches_[node].wait(); }
    using removed_handler = std::function<void(boost::system::error_code)>;
    void remove(std::string node, removed_handler done);
    boost::asio::awaitable<void> remove(std::string node);

    /// Coroutines that wait for an event now; those that an event has ever woken.
    std::size_t waiting() const;
    std::size_t woken() const { return woken_; }

private:
    using answer_handler =
        boost::asio::any_completion_handler<void(std::exception_ptr, protocol::reply)>;

    boost::asio::awaitable<protocol::reply> ask(protocol::request what);
    boost::asio::awaitable<protocol::step_result> create(std::string path, std::string name,
                                                         protocol::step_kind kind);
    boost::asio::awaitable<void> make_path(std::string path);
    void send(const protocol::request& what, answer_handler done);
    void beat_later();
    void fail(const std::string& why);

    void on_connected(const protocol::credentials& session, protocol::duration timeout) override;
    void on_disconnected(protocol::disconnect_reason why) override;
    void on_reply(protocol::request_id id, const protocol::reply& answer) override;
    void on_watch(protocol::watch_event what, const std::string& node) override;
    void on_trouble(const std::string& cause) override { trouble_ = cause; }
    void on_servers(std::size_t, std::size_t, bool) override {} // they stay what they are
    void on_servers_failed(const std::string&) override {}
    void on_log(std::string_view) override {}
    void on_failure() noexcept override {}

    std::size_t server_;
    bool connected_ = false;
    std::string trouble_;
    wait_list ends_of_connect_;
    wait_list ends_of_close_;
    protocol::request_id last_id_ = 0;
    std::unordered_map<protocol::request_id, answer_handler> open_;
    std::unordered_map<std::string, wait_list> watches_;
    std::size_t woken_ = 0;
    std::mt19937 dice_;
    boost::asio::steady_timer next_beat_;
    std::shared_ptr<zookeeper::client> client_;
};

} // namespace turnstile::bench
