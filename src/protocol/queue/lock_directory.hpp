// SPDX-License-Identifier: BSL-1.0
// Finds and makes the node of a lock path, and remembers its incarnation.
#pragma once

#include "protocol/names/lock_key.hpp"
#include "protocol/session_context.hpp"

#include <functional>
#include <optional>
#include <string>

namespace turnstile::protocol {

/// Finds out the incarnation (czxid) of a lock path. It makes the container node and its parents if
/// they are missing. The server may delete an empty container at any moment in between. A lock, a
/// limit_node or a look-up owns it. It rests, or it is asking: from find() until it calls `ready`
/// or `failed`. Beside that it may delete the path (restart_counter).
class lock_directory {
public:
    using ready_handler = std::function<void()>;
    using failed_handler = std::function<void(failure, zookeeper_code)>;

    /// `makes_path`: find() makes the path if it is missing. If not, another part makes it.
    lock_directory(session_context& shared, const std::string& path, ready_handler ready,
                   failed_handler failed, bool makes_path = true)
        : context_(shared),
          path_(path),
          ready_(std::move(ready)),
          failed_(std::move(failed)),
          makes_path_(makes_path),
          again_(shared.clock) {}

    const std::optional<std::int64_t>& incarnation() const { return incarnation_; }
    lock_key key() const { return key_; } // the one that find() has read
    std::int32_t highest() const { return highest_; }
    /// No exclusive ticket stands at this number or below it. That stays so, since a new ticket
    /// gets a higher one, unless the servers lose transactions.
    std::int32_t no_writer_up_to() const { return no_writer_up_to_; }

    /// Whether this session made the path that is there, as a container: it may delete it. A path
    /// that an operator made looks the same to a client.
    bool is_own() const { return incarnation_ && *incarnation_ == made_; }

    /// An answer has shown this incarnation, or another lock_directory has.
    void on_found(std::int64_t incarnation);
    void on_found(const lock_directory& by);
    /// An answer has shown that the path is missing.
    void on_vanished();
    /// A ticket with this number was seen.
    void note_seen(std::int32_t sequence) { highest_ = std::max(highest_, sequence); }
    /// No exclusive ticket stands at this number or below it: see no_writer_up_to().
    void note_no_writer_up_to(std::int32_t sequence) {
        no_writer_up_to_ = std::max(no_writer_up_to_, sequence);
    }

    /// Finds the path, or makes it. Then `ready` or `failed` is called, unless the connection ends.
    void find();
    /// Whether an answer is awaited.
    bool is_busy() const { return asking_ || restarting_; }
    /// The next server may have older data: what was known of the readers holds no more.
    void on_disconnected() {
        asking_ = false;
        again_.cancel();
        no_writer_up_to_ = -1;
    }
    /// Whether a new ticket's number shows that the servers have lost transactions.
    bool has_gone_back(std::int32_t sequence) const {
        return sequence >= 0 && sequence <= highest_;
    }
    void forget_numbers() { highest_ = no_writer_up_to_ = -1; }
    /// Deletes the path if it is empty and its counter high, so that it starts again.
    void restart_counter();

private:
    /// Reads the path: one round of find().
    void ask();
    void ask_later();
    /// Warns if the path gives others more rights than this session's ACL does.
    void compare_rights();
    void on_read(const reply& answer);
    /// Makes the nodes if this session's identity can own them.
    void prove_owner();
    void make();
    void on_made(const reply& answer);
    void succeed(const node_stat& there);
    void fail(failure why, zookeeper_code code);

    session_context& context_;
    const std::string& path_;
    ready_handler ready_;
    failed_handler failed_;
    const bool makes_path_;
    std::optional<std::int64_t> incarnation_;
    lock_key key_{};
    std::int64_t made_ = 0;     // the incarnation that this session made
    std::int32_t highest_ = -1; // sequence seen in this incarnation
    std::int32_t no_writer_up_to_ = -1;
    bool asking_ = false;
    bool restarting_ = false;         // the deletion is under way
    std::size_t rounds_ = 0;          // calls of ask() in a row
    failure refusal_ = failure::none; // why the nodes of this flight cannot be made
    bool was_throttled_ = false;      // a request of this flight was throttled
    timer again_;                     // asks again after a server had too much to do
};

} // namespace turnstile::protocol
