// A modelled ensemble: one tree, sessions, ephemeral sequential nodes, containers, data watches.
#pragma once

#include "protocol/message.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace turnstile::test {

/// Knows nothing of time or networks: requests are executed one by one, as one server does that
/// alone is its ensemble.
class model_server {
public:
    using session_id = std::int64_t;
    using connection_id = std::uint64_t;
    /// Called while a request is executed, before its reply is there.
    using event_handler =
        std::function<void(connection_id, protocol::watch_event, const std::string&)>;

    explicit model_server(event_handler on_event);

    session_id open_session();
    bool alive(session_id session) const { return sessions_.contains(session); }
    /// Ends a session, by expiry or by its client's wish: its nodes go.
    void end_session(session_id session);
    /// The watches of a connection go with it.
    void end_connection(connection_id connection);

    protocol::reply execute(session_id session, connection_id connection,
                            const protocol::request& what);

    /// Deletes every empty container that has had children, as the server's reaper does.
    void reap();
    /// An operator's delete.
    void remove(const std::string& path);

    std::vector<std::string> children(const std::string& path) const;
    std::size_t watches() const;

private:
    struct node {
        std::int64_t czxid = 0;
        std::int64_t mzxid = 0;
        session_id owner = 0;
        std::int32_t created = 0; // children made so far: the next sequence
        std::string data{};
        std::set<std::string> children{};
    };

    node* find(const std::string& path);
    const node* find(const std::string& path) const;
    static std::string parent_of(const std::string& path);
    protocol::node_stat stat_of(const node& which) const;
    node& make(const std::string& path, session_id owner, const std::string& data);
    void erase(const std::string& path);
    void fire(const std::string& path, protocol::watch_event event);

    protocol::reply enqueue(session_id session, const protocol::request& what);
    protocol::reply create_container(const std::string& path);
    protocol::reply get(connection_id connection, const protocol::request& what);
    protocol::reply get_children(const std::string& path) const;
    protocol::reply remove_checked(const std::string& path);
    protocol::reply release(const std::string& path);

    event_handler on_event_;
    std::int64_t zxid_ = 0;
    session_id last_session_ = 0x1000;
    std::map<std::string, node> nodes_;
    std::map<session_id, std::set<std::string>> sessions_; // with their ephemeral nodes
    std::map<std::string, std::set<connection_id>> watches_;
};

} // namespace turnstile::test
