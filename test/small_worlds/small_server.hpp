// The one server of a small world: executes what arrives, in the order in which it is let in.
#pragma once

#include "digest.hpp"
#include "model/model_tree.hpp"
#include "state_words.hpp"

#include "protocol/wire/port.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>

namespace turnstile::test {

/// A connection with what is under way on it, both ways.
struct small_connection {
    struct attach {
        model_session wanted;
    };
    struct ask {
        protocol::request_id id;
        protocol::request what;
    };
    struct close_session {};
    struct connected {
        model_session session;
    };
    struct answer {
        protocol::request_id id;
        protocol::reply what;
    };
    struct event {
        protocol::watch_event what;
        std::string path;
    };
    struct end {
        protocol::disconnect_reason why;
    };
    using to_server = std::variant<attach, ask, close_session>;
    using to_client = std::variant<connected, answer, event, end>;

    std::uint64_t number = 0;
    model_session session = 0;
    bool open_here = true;  // the client still listens
    bool open_there = true; // the server has not closed it
    std::deque<to_server> up{};
    std::deque<to_client> down{};
};

class small_server {
public:
    using connection_ptr = std::shared_ptr<small_connection>;

    /// An operator makes something before all else.
    void prepare(const protocol::request& what);
    /// Executes the first message under way to the server.
    void take_in(const connection_ptr& on);
    /// An operator ends a session.
    void kill(model_session session);
    /// The end of a connection became known here.
    void forget(const connection_ptr& on);

    /// Whether it neither changes a node, nor asks for one: only its own client is concerned.
    static bool touches_nothing(const small_connection::to_server& message);
    /// Whether it may change a node.
    static bool may_change(const protocol::request& what);

    const model_tree& tree() const { return tree_; }
    /// Watches that somebody will hear of. Those on a node that stays are not counted.
    std::size_t watches(const std::set<std::string>& but_on = {}) const;
    bool is_watched_by(const connection_ptr& on) const;
    /// Its nodes; and what it keeps of a client's sessions.
    void describe(state_words& to) const { tree_.describe(to); }
    void describe_sessions(std::size_t client, state_words& to) const;
    /// What has changed a node, in order, and who is there now.
    void add_past_to(digest& sum) const;

private:
    void answer(const connection_ptr& on, const small_connection::ask& asked);
    model_tree::outcome apply(model_txn txn);
    void tell_watchers(const std::string& path, protocol::watch_event what);
    void close(const connection_ptr& on, protocol::disconnect_reason why);

    model_tree tree_;
    std::int64_t zxid_ = 100; // no number that means something else
    digest history_;          // of what changed something
    using watch_list = std::map<std::string, std::set<connection_ptr>>;
    std::array<watch_list, 2> watchers_; // of nodes, and of their children
    std::map<model_session, connection_ptr> attached_;
};

} // namespace turnstile::test
