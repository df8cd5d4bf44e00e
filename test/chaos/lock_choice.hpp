// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::chaos {

/// The kinds of lock that a run has. A guarded one is a mutex under which a counter is kept, by
/// guarded writes; an election is a mutex that others observe.
enum class lock_sort : std::uint8_t { mutex, shared, semaphore, single_node, guarded, election };

/// The names of the kinds, in their order, as options and results of runs have them.
inline constexpr std::array lock_sort_names{"mutex",       "shared",  "semaphore",
                                            "single-node", "guarded", "election"};

[[nodiscard]] constexpr const char* name_of(lock_sort sort) {
    return lock_sort_names[static_cast<std::size_t>(sort)];
}

/// The word of the history for an acquire of that kind.
[[nodiscard]] constexpr const char* word_of(lock_sort sort, bool reads) {
    switch (sort) {
    case lock_sort::shared:
        return reads ? "shared" : "writer";
    case lock_sort::semaphore:
        return "semaphore";
    case lock_sort::single_node:
        return "single-node";
    case lock_sort::guarded:
        return "guarded";
    case lock_sort::election:
        return "election";
    case lock_sort::mutex:
        break;
    }
    return "exclusive";
}

/// Which kinds a run has: all of them, one alone, or several locks as one and nothing else.
enum class lock_mix : std::uint8_t {
    all,
    mutex,
    shared,
    semaphore,
    single_node,
    guarded,
    election,
    several
};

/// The names of the mixes, in their order, as options have them.
inline constexpr std::array<std::string_view, 8> lock_mix_names{
    "all", "mutex", "shared", "semaphore", "single-node", "guarded", "election", "multi"};

[[nodiscard]] constexpr std::string_view name_of(lock_mix mix) {
    return lock_mix_names[static_cast<std::size_t>(mix)];
}

[[nodiscard]] constexpr std::optional<lock_mix> lock_mix_called(std::string_view name) {
    for (std::size_t i = 0; i < lock_mix_names.size(); ++i)
        if (name == lock_mix_names[i])
            return static_cast<lock_mix>(i);
    return std::nullopt;
}

[[nodiscard]] constexpr bool has_one_sort(lock_mix mix) {
    return mix != lock_mix::all && mix != lock_mix::several;
}

/// One of a run's locks. Its number decides what kind of lock it is, for workers and for the
/// schedule.
struct lock_choice {
    std::uint64_t number = 0;
    lock_mix mix = lock_mix::all;

    [[nodiscard]] constexpr lock_sort sort() const {
        constexpr std::uint64_t turn = 6; // each kind is met also in a run with few locks
        constexpr std::array sorts{lock_sort::mutex,  lock_sort::guarded,   lock_sort::election,
                                   lock_sort::shared, lock_sort::semaphore, lock_sort::single_node};
        if (has_one_sort(mix))
            return static_cast<lock_sort>(static_cast<std::uint8_t>(mix) - 1);
        return sorts[number % turn];
    }
    /// How many leases there are, if it is a semaphore: 1 to 4.
    [[nodiscard]] constexpr std::uint32_t limit() const {
        return 1 + static_cast<std::uint32_t>(number / 6 % 4);
    }
    /// Whether a store compares its tokens.
    [[nodiscard]] constexpr bool compares_tokens() const {
        return sort() != lock_sort::guarded && (sort() != lock_sort::semaphore || limit() == 1);
    }
    /// A lock of the same kind nearby, which stands for four: there more contenders meet. For locks
    /// with readers.
    [[nodiscard]] constexpr lock_choice crowded() const {
        const std::uint64_t step = has_one_sort(mix) ? 1 : 6;
        constexpr std::uint64_t neighbours = 4;
        return {number - number / step % neighbours * step, mix};
    }
    [[nodiscard]] std::string path() const {
        constexpr std::array names{"/chaos/lock-",        "/chaos/shared-",  "/chaos/semaphore-",
                                   "/chaos/single-node-", "/chaos/guarded-", "/chaos/election-"};
        return names[static_cast<std::size_t>(sort())] + std::to_string(number);
    }
    /// The node that is counted in, if it is a guarded lock.
    [[nodiscard]] std::string counter() const { return path() + ".count"; }
    /// The nodes below which tickets and leases are made, relative to the lock path.
    [[nodiscard]] std::vector<std::string> folders() const {
        return sort() == lock_sort::semaphore ? std::vector<std::string>{"leases/", "queue/"}
                                              : std::vector<std::string>{""};
    }
    /// The nodes that stay when no ticket and no lease is left.
    [[nodiscard]] std::vector<std::string> parts() const {
        return sort() == lock_sort::semaphore ? std::vector<std::string>{"leases", "queue", "limit"}
                                              : std::vector<std::string>{};
    }
};

/// All locks of a run.
struct lock_set {
    std::uint64_t count = 1;
    lock_mix mix = lock_mix::all;

    [[nodiscard]] constexpr std::uint64_t size() const { return count; }
    [[nodiscard]] constexpr lock_choice operator[](std::uint64_t number) const {
        return {number, mix};
    }
    [[nodiscard]] constexpr bool has(lock_sort sort) const {
        for (std::uint64_t number = 0; number < count; ++number)
            if ((*this)[number].sort() == sort)
                return true;
        return false;
    }
};

} // namespace turnstile::chaos
