// SPDX-License-Identifier: BSL-1.0
#include "cell.hpp"
#include "support/pch.hpp"

namespace turnstile::matrix {
namespace {

struct choice {
    std::string_view lock;
    std::string_view at;
    fault what;
    recovery after;
};

using enum fault;
using enum recovery;

// What frames, sockets and servers do and the simulation cannot: at the steps where the library
// takes another way out, each kind of lock with the fault that leaves it the least to know.
constexpr std::array choices{
    choice{"mutex", "connect", split, same_server},
    choice{"mutex", "connect", black_hole_back, another_server},
    choice{"mutex", "enqueue", cut_within, same_server},
    choice{"mutex", "enqueue", black_hole_back, session_end},
    choice{"mutex", "watch", split, same_server},
    choice{"mutex", "watch", lost_event, same_server},
    choice{"mutex", "watch", ticket_deletion, same_server},
    choice{"mutex", "reconnect", hold_till_left, same_server},
    choice{"mutex", "keep", black_hole, session_end},
    choice{"mutex", "release", black_hole_both, another_server},
    choice{"mutex", "recover-read", hold_till_back, same_server},
    choice{"mutex", "cancel-create", hold_till_back, another_server},
    choice{"mutex", "close", black_hole_back, same_server},

    choice{"shared_mutex_reader", "enqueue", cut_within, another_server},
    choice{"shared_mutex_reader", "hand-over", lost_event, same_server},
    choice{"shared_mutex_reader", "hand-over", ticket_deletion, same_server},
    choice{"shared_mutex_reader", "reconnect-reading", black_hole_both, another_server},
    choice{"shared_mutex_reader", "release", hold_till_back, same_server},
    choice{"shared_mutex_reader", "recover-read", black_hole, session_end},
    choice{"shared_mutex_writer", "watch", lost_event, same_server},
    choice{"shared_mutex_writer", "watch", ticket_deletion, same_server},
    choice{"shared_mutex_writer", "watch-list", black_hole_back, another_server},
    choice{"shared_mutex", "downgrade", cut_within, same_server},
    choice{"shared_mutex", "find-new", black_hole, another_server},
    choice{"shared_mutex_upgrade", "upgrade", black_hole_back, another_server},
    choice{"shared_mutex_upgrade", "leave", hold_till_back, same_server},
    choice{"shared_mutex_upgrade", "seek", cut_within, session_end},

    choice{"semaphore", "make", cut_within, same_server},
    choice{"semaphore", "watch", lost_event, same_server},
    choice{"semaphore", "watch", ticket_deletion, same_server},
    choice{"semaphore", "take", black_hole_back, another_server},
    choice{"semaphore", "adopt", black_hole, session_end},
    choice{"semaphore", "release", hold_till_left, same_server},

    choice{"single_node_mutex", "create", black_hole_back, session_end},
    choice{"single_node_mutex", "watch", lost_event, same_server},
    choice{"single_node_mutex", "retry", hold_till_back, same_server},
    choice{"single_node_mutex", "examine-read", cut_within, another_server},
    choice{"single_node_mutex", "release", black_hole_both, another_server},

    choice{"multi_lock", "enqueue", black_hole_back, another_server},
    choice{"multi_lock", "watch", lost_event, same_server},
    choice{"multi_lock", "watch", ticket_deletion, same_server},
    choice{"multi_lock", "third", cut_within, session_end},
    choice{"multi_lock", "recover-remove", hold_till_left, same_server},
    choice{"multi_lock_of_two", "reconnect", black_hole, session_end},
    choice{"multi_lock_of_two", "third", black_hole_both, another_server},
};

const auto& named(const auto& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, [](const auto& each) { return each.name; });
    if (found == all.end())
        throw std::logic_error{"no step or lock of the matrix is named " + std::string{name}};
    return *found;
}

} // namespace

std::string cell::name() const {
    std::string result;
    for (const auto part : {lock->name, at->name, name_of(what), name_of(after)})
        result.append(result.empty() ? "" : "/").append(part);
    return result;
}

std::vector<cell> all_cells() {
    std::vector<cell> result;
    for (const auto& each : choices) {
        const auto& lock = named(subjects(), each.lock);
        result.push_back({&lock, &named(lock.steps, each.at), each.what, each.after});
    }
    return result;
}

} // namespace turnstile::matrix
