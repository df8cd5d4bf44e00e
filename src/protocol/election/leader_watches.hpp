// SPDX-License-Identifier: BSL-1.0
// Who leads, for those who asked: the first ticket of a line, watched.
#pragma once

#include "protocol/names/first_in_line.hpp"
#include "protocol/session_context.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// A listing tells the first ticket, and a read of it sets the watch. Its event leads to the next
/// listing: two requests for each change of leader. Where nobody stands in line the path's children
/// are watched, and where there is no path, the path. After a reconnect all begins anew.
class leader_watches {
public:
    explicit leader_watches(session_context& shared) : context_(shared), again_(shared.clock) {}

    void begin(inquiry_id id, const std::string& path);
    /// False where it is none of these.
    bool cancel(inquiry_id id, failure why);
    void on_connected();
    void on_disconnected();
    bool on_watch(inquiry_id id);
    /// An event may have been lost.
    void read_again();
    void fail_all(failure why);

    bool empty() const { return open_.empty(); }
    const std::string& some_path() const { return open_.begin()->second.path; }
    /// Those that no server has answered yet.
    template <class Action>
    void for_each_waiting(Action action) const {
        for (const auto& [id, each] : open_)
            if (each.now != phase::watching)
                action(id, each.since);
    }

private:
    enum class phase : std::uint8_t { waiting, asking, watching };
    struct follower {
        std::string path;
        instant since; // it knows nothing
        phase now = phase::waiting;
        std::uint64_t flight = 0; // the request whose answer counts
        std::vector<std::string> line{};
        std::set<std::string> strays{}; // nodes that turned out now to be no tickets
        std::optional<first_in_line> told{};
        std::string watched{}; // a node, or the path
        watch_kind kind = watch_kind::data;
    };

    void begin_anew(inquiry_id id, follower& who);
    void list(inquiry_id id, follower& who, bool watches = false);
    void await_path(inquiry_id id, follower& who);
    void read(inquiry_id id, follower& who);
    void on_list(inquiry_id id, follower& who, const reply& answer, bool watches);
    void on_first(inquiry_id id, follower& who, const reply& answer);
    void watch(inquiry_id id, follower& who, const std::string& node, watch_kind kind);
    void forget_watch(inquiry_id id, follower& who);
    void tell(inquiry_id id, follower& who, first_in_line&& found);
    template <class Then>
    void ask(inquiry_id id, follower& who, const request& what, Then then);

    session_context& context_;
    std::map<inquiry_id, follower> open_;
    std::uint64_t flights_ = 0;
    timer again_; // for what a server with too much to do sent back
};

} // namespace turnstile::protocol
