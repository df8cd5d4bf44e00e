// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/ensemble.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <random>

namespace turnstile::survive {

using test::frame_proxy;

inline void reset(frame_proxy& door, bool on) {
    if (on)
        door.cut_all();
}

inline void outage(frame_proxy& door, bool on) {
    door.set_outage(on);
    reset(door, on);
}

inline void black_hole(frame_proxy& door, bool on) { door.set_black_hole(on); }

inline constexpr std::array ways{&reset, &outage, &black_hole};

/// Cuts the connections between sessions and servers for a moment, in one way after the other: of
/// one server that has some or of all, by resetting them, turning clients away or letting nothing
/// pass.
class connection_cuts {
public:
    explicit connection_cuts(test::ensemble& servers) {
        for (std::size_t i = 0; i < servers.size(); ++i)
            doors_.push_back(std::make_unique<frame_proxy>(servers.server(i).port()));
    }

    /// Where sessions must connect to.
    [[nodiscard]] std::string connect_string() const {
        std::string result;
        for (const auto& door : doors_)
            result += (result.empty() ? "" : ",") + door->address();
        return result;
    }

    /// One cut, of two seconds at most; over on return, as is a moment without any.
    void cut() {
        using std::chrono::milliseconds;
        // Each way as often at one server as there are servers, and then each way at all of them. A
        // session goes from one that cut it to the next: only where sessions are is there harm to
        // do.
        const auto way = ways.at(next_ % ways.size());
        const bool everywhere = next_ / ways.size() % (doors_.size() + 1) == doors_.size();
        ++next_;
        const auto used = doors_in_use();
        const auto* const chosen =
            everywhere || used.empty() ? nullptr : used[engine_() % used.size()];
        const auto harm = [&](bool on) {
            for (const auto& door : doors_)
                if (chosen == nullptr || door.get() == chosen)
                    way(*door, on);
        };
        harm(true);
        // justified: so long the harm lasts; and then the phase of the beats in which it comes
        std::this_thread::sleep_for(milliseconds{100 + engine_() % 1'900});
        harm(false);
        std::this_thread::sleep_for(milliseconds{500 + engine_() % 1'000}); // justified: as above
    }

private:
    [[nodiscard]] std::vector<test::frame_proxy*> doors_in_use() const {
        std::vector<frame_proxy*> result;
        for (const auto& door : doors_)
            if (door->stats().open_connections > 0)
                result.push_back(door.get());
        return result;
    }

    std::vector<std::unique_ptr<test::frame_proxy>> doors_;
    std::size_t next_ = 0; ///< which way is next, and whether at one server
    std::mt19937_64 engine_{1};
};

} // namespace turnstile::survive
