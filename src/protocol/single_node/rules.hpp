// SPDX-License-Identifier: BSL-1.0
// The rules of a lock of one node. A test build can break one of them, to show that a test finds
// it. docs/internals/protocol/single-node.md describes them.
#pragma once

#include "protocol/mutation.hpp"
#include "protocol/settings.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace turnstile::protocol {

/// One function for each rule. None of them changes anything.
class single_node_rules {
public:
    explicit single_node_rules(const settings& options) : planted_(options.planted) {}

    /// The name is used again, so a node is deleted only while nobody has acquired the lock since:
    /// each acquire changes the lock path's version.
    std::int32_t version_to_delete(std::int32_t version) const {
        return planted_.is(mutant::holder_deleted_by_name) ? -1 : version;
    }
    /// A node of the same name with another czxid is another's.
    bool is_same(const reply& read, std::int64_t czxid) const {
        return read.code == zookeeper_code::ok &&
               (read.stat.czxid == czxid || planted_.is(mutant::holder_known_by_name));
    }
    /// A node of this session was made for it, whoever stands in its data. It waits for no other.
    bool is_own(const reply& read, std::int64_t session) const {
        return read.code == zookeeper_code::ok && read.stat.ephemeral_owner == session &&
               !planted_.is(mutant::own_holder_waited_for);
    }
    /// It belongs to the acquire whose mark is in its data: an earlier one is over.
    bool is_of(std::string_view found, std::string_view request) const {
        return found == request || planted_.is(mutant::own_holder_is_anybodys);
    }
    /// Whoever may wait sets a watch on the node that it waits for.
    bool sets_watch() const { return !planted_.is(mutant::holder_not_watched); }
    /// Whoever has made the node holds the lock only where nobody stands under the path otherwise.
    bool is_alone(std::int32_t others) const {
        return others == 0 || planted_.is(mutant::tickets_beside_holder);
    }
    /// A node that appears after its caller has gone is deleted.
    bool deletes_late_node() const { return !planted_.is(mutant::late_holder_kept); }
    /// A create that was not found may still appear: the path is looked at once more.
    bool looks_again() const { return !planted_.is(mutant::late_holder_not_looked_for); }
    /// Whoever asks for a newer lock path than the one that is remembered knows better.
    bool is_newer(std::int64_t wanted, const std::optional<std::int64_t>& remembered) const {
        const bool renewed =
            remembered && *remembered < wanted && !planted_.is(mutant::older_path_remembered);
        return wanted != 0 && (!remembered || renewed);
    }
    /// The next acquire of this session is told when the node has gone.
    bool passes_on() const { return !planted_.is(mutant::next_of_session_forgotten); }

private:
    [[no_unique_address]] mutation planted_;
};

} // namespace turnstile::protocol
