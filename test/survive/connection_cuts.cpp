// SPDX-License-Identifier: BSL-1.0
#include "connection_cuts.hpp"

#include <array>
#include <chrono>
#include <thread>

namespace turnstile::survive {

namespace {

using test::frame_proxy;

void reset(frame_proxy& door, bool on) {
    if (on)
        door.cut_all();
}

void outage(frame_proxy& door, bool on) {
    door.set_outage(on);
    reset(door, on);
}

void black_hole(frame_proxy& door, bool on) { door.set_black_hole(on); }

constexpr std::array ways{&reset, &outage, &black_hole};

} // namespace

connection_cuts::connection_cuts(test::ensemble& servers) {
    for (std::size_t i = 0; i < servers.size(); ++i)
        doors_.push_back(std::make_unique<frame_proxy>(servers.server(i).port()));
}

std::string connection_cuts::connect_string() const {
    std::string result;
    for (const auto& door : doors_)
        result += (result.empty() ? "" : ",") + door->address();
    return result;
}

std::vector<frame_proxy*> connection_cuts::doors_in_use() const {
    std::vector<frame_proxy*> result;
    for (const auto& door : doors_)
        if (door->stats().open_connections > 0)
            result.push_back(door.get());
    return result;
}

void connection_cuts::cut() {
    using std::chrono::milliseconds;
    // Each way as often at one server as there are servers, and then each way at all of them. A
    // session goes from one that cut it to the next: only where sessions are is there harm to do.
    const auto way = ways.at(next_ % ways.size());
    const bool everywhere = next_ / ways.size() % (doors_.size() + 1) == doors_.size();
    ++next_;
    const auto used = doors_in_use();
    const auto* const chosen = everywhere || used.empty() ? nullptr : used[engine_() % used.size()];
    const auto harm = [&](bool on) {
        for (const auto& door : doors_)
            if (chosen == nullptr || door.get() == chosen)
                way(*door, on);
    };
    harm(true);
    // justified: how long it lasts is the harm, and then the phase of the beats in which it comes
    std::this_thread::sleep_for(milliseconds{100 + engine_() % 1'900});
    harm(false);
    std::this_thread::sleep_for(milliseconds{500 + engine_() % 1'000}); // justified: as above
}

} // namespace turnstile::survive
