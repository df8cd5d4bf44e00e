// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

class blocking_handle;

/// What another client needs to take a session over.
struct session_credentials {
    std::int64_t id = 0;
    std::array<char, 16> password{};
};

enum class create_mode {
    persistent,
    persistent_sequential,
    ephemeral,
    ephemeral_sequential,
    container
};

/// The parts of a node's status that tests look at.
struct node_info {
    std::int64_t ephemeral_owner = 0;
    std::int64_t czxid = 0;
    std::int64_t mzxid = 0;
    std::int32_t version = 0;
    std::int32_t cversion = 0;
    std::int32_t children = 0;
};

/// One line of a node's ACL; the permissions are ZooKeeper's bits: READ 1, WRITE 2, CREATE 4,
/// DELETE 8, ADMIN 16.
struct node_right {
    std::string scheme;
    std::string id;
    int permissions = 0;
    friend auto operator<=>(const node_right&, const node_right&) = default;
};

/// The ZooKeeper client of another program, by which tests prepare and observe nodes. It shares no
/// code with the library under test. Each call blocks, for `options::limit` at most.
///
/// Every call returns the ZooKeeper code (0 is ZOK, -4 ZCONNECTIONLOSS, -7 ZOPERATIONTIMEOUT,
/// -101 ZNONODE, -102 ZNOAUTH, -110 ZNODEEXISTS, ...). Between calls it sends nothing, not even
/// pings: idle() keeps the session alive. An object belongs to one thread at a time; different
/// objects may be used by different threads.
class foreign_client {
public:
    struct options {
        std::string address = {}; ///< numeric host:port; an odd number of them, joined by commas
        std::chrono::milliseconds session_timeout{10'000};
        std::optional<session_credentials> resume = {}; ///< take over this session
        std::string digest = {};                        ///< "user:password", empty: none
        bool owner_only = false;     ///< nodes that it creates are for that digest user alone
        bool keeps_children = false; ///< nobody may delete children of nodes that it creates
        std::chrono::milliseconds limit{10'000}; ///< for connecting and for every call
    };

    /// Connects. Throws std::runtime_error if it cannot, or if the session has expired.
    explicit foreign_client(options how);
    explicit foreign_client(const std::string& address)
        : foreign_client{options{.address = address}} {}
    foreign_client(foreign_client&&) noexcept;
    foreign_client& operator=(foreign_client&&) noexcept;
    ~foreign_client(); ///< as close()

    int create(const std::string& path, std::string_view data = {},
               create_mode mode = create_mode::persistent, std::string* created = nullptr);
    int set(const std::string& path, std::string_view data, int version = -1);
    int remove(const std::string& path, int version = -1);
    int exists(const std::string& path, node_info* info = nullptr);
    int get(const std::string& path, std::string* data, node_info* info = nullptr);
    int children(const std::string& path, std::vector<std::string>* names);
    /// To a client that may not change it, the server shows "user:x" for every digest.
    int get_acl(const std::string& path, std::vector<node_right>* rights);
    int set_acl(const std::string& path, const std::vector<node_right>& rights);
    /// Removes members from the ensemble: their numbers, joined by commas.
    int remove_members(const std::string& numbers);
    /// Waits until the server of this client has caught up with the leader.
    int sync(const std::string& path);

    /// Keeps the session alive (or finds out that it expired) for this long.
    void idle(std::chrono::milliseconds duration);

    [[nodiscard]] std::int64_t session_id() const;
    [[nodiscard]] std::array<char, 16> password() const;
    [[nodiscard]] session_credentials credentials() const { return {session_id(), password()}; }
    [[nodiscard]] std::chrono::milliseconds session_timeout() const; ///< as negotiated
    [[nodiscard]] bool connected() const;
    [[nodiscard]] bool expired() const; ///< as far as the client has been told

    /// Ends the session at the server. No other call is allowed afterwards.
    int close();

    /// Drops the connection without ending the session, which lives on until it expires.
    void abandon();

private:
    std::unique_ptr<blocking_handle> impl_;
};

/// Ends the session of another client, as if it had expired. When this returns, its ephemeral nodes
/// are gone at the server at `address`. The session's own client loses its connection, reconnects
/// at once, and is told.
void expire_session(const std::string& address, const session_credentials& session);
void expire_session(const std::string& address, std::int64_t id,
                    const std::array<char, 16>& password);
/// As expire_session(), again and again: the session's own client may take it back meanwhile.
void insist_on_expiry(const std::string& address, const session_credentials& session);

} // namespace turnstile::test
