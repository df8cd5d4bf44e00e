// SPDX-License-Identifier: BSL-1.0
// What the rules found.
#pragma once

#include "event.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::promises {

enum class promise : std::uint8_t {
    exclusion,
    tokens,
    order,
    served,
    nothing_left,
    lost_in_time,
    once,
};

struct violation {
    promise broken{};
    std::string text{};
    std::optional<instant> lasted{}; // of beliefs that overlapped, once that is over
};

class findings {
public:
    /// Calls an acquire by its name, so that reports can be read.
    using namer = std::function<std::string(acquire_id)>;

    explicit findings(namer name) : name_(std::move(name)) {}

    void add(promise broken, std::string text) { all_.push_back({broken, std::move(text)}); }
    void add(promise broken, acquire_id who, std::string_view text) {
        add(broken, name(who).append(": ").append(text));
    }
    /// The newest is `all().size() - 1`.
    violation& at(std::size_t index) { return all_[index]; }

    std::string name(acquire_id who) const { return name_(who); }
    const std::vector<violation>& all() const { return all_; }

private:
    namer name_;
    std::vector<violation> all_;
};

} // namespace turnstile::promises
