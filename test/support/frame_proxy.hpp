// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "proxy_rule.hpp"
#include "proxy_stats.hpp"
#include "rule_book.hpp"
#include "session_book.hpp"
#include "stranger.hpp"
#include "wire_notes.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace turnstile::test {

/// How a proxy turns clients away.
enum class refusal {
    reset,        ///< accepts, and resets the connection at once
    not_listening ///< connection refused by the kernel
};

/// A TCP proxy in front of one real ZooKeeper server. It understands the protocol's frames, and
/// does harm to those that a proxy_rule names. Each client is a proxy_link.
///
/// It works in a thread of its own. All functions may be called from any other thread, and have
/// taken effect when they return.
class frame_proxy {
public:
    /// Where it listens.
    struct place {
        std::string ip = "127.0.0.1";
        std::uint16_t port = 0; ///< 0: a free one
    };

    explicit frame_proxy(std::uint16_t server_port) : frame_proxy(server_port, place{}) {}
    frame_proxy(std::uint16_t server_port, const place& where);
    /// A server anywhere, by its numeric address. The proxy notes in `sessions` which sessions and
    /// identities it sees, and in `notes` what clients are told of nodes. Either may be null.
    frame_proxy(const std::string& server_host, std::uint16_t server_port,
                session_book* sessions = nullptr, wire_notes* notes = nullptr);
    frame_proxy(const frame_proxy&) = delete;
    frame_proxy& operator=(const frame_proxy&) = delete;
    ~frame_proxy(); ///< closes all connections

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string address() const; ///< "127.0.0.1:PORT", by default

    [[nodiscard]] rule_id add_rule(proxy_rule rule);
    void remove_rule(rule_id id);
    void clear_rules();

    /// Waits until the rule's action was carried out so many times since it was added. False if
    /// that did not happen within `limit`.
    [[nodiscard]] bool wait_until_hit(rule_id id, int times = 1,
                                      std::chrono::milliseconds limit = std::chrono::seconds{
                                          10}) const;
    [[nodiscard]] int hits(rule_id id) const;

    /// Resets all connections, both sides. Held frames are lost.
    void cut_all();
    /// Forwards what is held, and lets later frames pass unless a rule says otherwise.
    void release_held();
    /// While it is on, new clients are turned away, and open connections stay.
    void set_outage(bool on, refusal how = refusal::reset);
    /// While it is on, all connections are open and nothing passes, not even their end. When it
    /// goes off, all connections that may have swallowed something are reset.
    void set_black_hole(bool on);
    /// Later connections meet a stranger instead of the server. Without one, the server again.
    void replace_server(std::optional<stranger> by);
    /// Later connections go to this port of the server's host.
    void redirect(std::uint16_t server_port);

    [[nodiscard]] proxy_stats stats() const;

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

} // namespace turnstile::test
