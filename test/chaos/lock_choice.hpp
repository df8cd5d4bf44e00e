#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::chaos {

/// The kinds of lock that a run has.
enum class lock_sort : std::uint8_t { mutex, semaphore, single_node };

/// What the history calls them, in their order.
inline constexpr std::array lock_sort_names{"exclusive", "semaphore", "single-node"};

[[nodiscard]] constexpr const char* name_of(lock_sort sort) {
    return lock_sort_names[static_cast<std::size_t>(sort)];
}

/// One of a run's locks. Its number decides what kind of lock it is, for workers and for the
/// schedule.
struct lock_choice {
    std::uint64_t number = 0;

    [[nodiscard]] constexpr lock_sort sort() const {
        constexpr std::uint64_t turn = 6; // each kind is met also in a run with few locks
        return number % turn == 4   ? lock_sort::semaphore
               : number % turn == 5 ? lock_sort::single_node
                                    : lock_sort::mutex;
    }
    /// Of a semaphore: how many leases there are, 1 to 4.
    [[nodiscard]] constexpr std::uint32_t limit() const {
        return 1 + static_cast<std::uint32_t>(number / 6 % 4);
    }
    /// Whether a store may compare its tokens.
    [[nodiscard]] constexpr bool compares_tokens() const {
        return sort() != lock_sort::semaphore || limit() == 1;
    }
    [[nodiscard]] std::string path() const {
        constexpr std::array names{"/chaos/lock-", "/chaos/semaphore-", "/chaos/single-node-"};
        return names[static_cast<std::size_t>(sort())] + std::to_string(number);
    }
    /// The nodes below which somebody may stand or hold, relative to the path.
    [[nodiscard]] std::vector<std::string> folders() const {
        return sort() == lock_sort::semaphore ? std::vector<std::string>{"leases/", "queue/"}
                                              : std::vector<std::string>{""};
    }
    /// The nodes that stay when nobody stands or holds there.
    [[nodiscard]] std::vector<std::string> parts() const {
        return sort() == lock_sort::semaphore ? std::vector<std::string>{"leases", "queue", "limit"}
                                              : std::vector<std::string>{};
    }
};

} // namespace turnstile::chaos
