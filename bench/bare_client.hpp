// SPDX-License-Identifier: BSL-1.0
// The bare C client: what no library on top of it can be faster than.
#pragma once

#include "sample.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::bench {

struct bare_api;
class bare_transaction;
extern const bare_api plain_api;

/// Blocks until each answer is there, with poll() and nothing else between C client and kernel.
class bare_client {
public:
    explicit bare_client(const std::string& server, const bare_api& through = plain_api);
    ~bare_client();
    bare_client(const bare_client&) = delete;
    bare_client& operator=(const bare_client&) = delete;

    /// As long as that of a ticket of Turnstile's.
    static constexpr const char* ticket_data =
        "turnstile=1\nrequest=0123456789abcdef-1\nhost=host.example\npid=12345\n";

    /// Makes a persistent node with its parents.
    void make_directory(const std::string& path);
    /// An ephemeral sequential node; returns its path.
    std::string create(const std::string& prefix);
    void make(const std::string& path, const std::string& data); // ephemeral, and of this name
    void exists(const std::string& path);
    /// 0 if the node is missing.
    std::size_t children(const std::string& path);
    void remove(const std::string& path);
    void set_and_delete(const std::string& path); // one transaction
    void commit(bare_transaction& what);
    void commit_each(std::vector<bare_transaction>& all); // in one flight
    /// Sends all of `first` in one flight. Each answer sends what `next` says to send after that
    /// one, if anything. Until nothing is under way.
    void keep_under_way(const std::vector<bare_transaction*>& first,
                        const std::function<bare_transaction*(bare_transaction&)>& next);
    bool watch(const std::string& path);          // false if the node is missing
    void watch_children(const std::string& path); // lists them, too

    /// One session makes a node, and the other watches it. The node's path.
    static std::string stand_by(bare_client& owner, bare_client& watcher,
                                const std::string& directory);
    /// Of that node: from the call of set-and-delete on one session to the event on the other's
    /// watch. Throws std::runtime_error if the event does not come.
    static clock::duration hand_on(bare_client& owner, bare_client& watcher,
                                   const std::string& node);
    /// Both, one right after the other; the time of the second.
    static clock::duration hand_off(bare_client& owner, bare_client& watcher,
                                    const std::string& directory) {
        return hand_on(owner, watcher, stand_by(owner, watcher, directory));
    }
    /// The requests by which a permit of a semaphore goes to the first in line: from the call of
    /// the deletion on one session to the answer to the other's transaction that takes the permit.
    static clock::duration hand_lease_on(bare_client& owner, bare_client& taker,
                                         const std::string& directory);
    /// Lets both sessions send their pings.
    void breathe();

private:
    static void wait_for_event(bare_client& owner, bare_client& watcher);

    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace turnstile::bench
